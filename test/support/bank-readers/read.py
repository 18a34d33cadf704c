"""Reads a bank file: read.py FORMAT FILE WHEELS. Prints balances and amounts in minor units.

XML is validated by the schema of ISO 20022, which WHEELS, a folder of packages, has.
"""
import io
import json
import pathlib
import sys
import zipfile
from decimal import Decimal

form, file, wheels = sys.argv[1:]
content = pathlib.Path(file).read_bytes()


def minor(amount):
    exact = Decimal(amount) * 100
    assert exact == int(exact), amount
    return str(int(exact))


def schema():
    for wheel in pathlib.Path(wheels).glob('*.whl'):
        with zipfile.ZipFile(wheel) as packed:
            for name in packed.namelist():
                if name.endswith(f'/{form}.xsd'):
                    return packed.read(name)
    raise SystemExit(f'no schema of {form}')


if form == 'mt940':
    import mt940

    statement = mt940.parse(content.decode('ascii'))
    data = statement.data
    print(json.dumps({
        'opening': minor(data['final_opening_balance'].amount.amount),
        'closing': minor(data['final_closing_balance'].amount.amount),
        'currency': data['final_closing_balance'].amount.currency,
        'amounts': [minor(one.data['amount'].amount) for one in statement],
        'days': [str(one.data['entry_date']) for one in statement],
    }))
else:
    from lxml import etree

    tree = etree.parse(io.BytesIO(content))
    etree.XMLSchema(etree.parse(io.BytesIO(schema()))).assertValid(tree)
    one = '{%s}' % etree.QName(tree.getroot()).namespace

    def signed(part):
        sign = '' if part.findtext(f'{one}CdtDbtInd') == 'CRDT' else '-'
        return minor(sign + part.findtext(f'{one}Amt'))

    if form.startswith('camt'):
        balances = [signed(part) for part in tree.iter(f'{one}Bal')]
        print(json.dumps({
            'opening': balances[0],
            'closing': balances[1],
            'currency': tree.findtext(f'.//{one}Ccy'),
            'amounts': [signed(part) for part in tree.iter(f'{one}Ntry')],
            'days': [part.findtext(f'{one}BookgDt/{one}Dt') for part in tree.iter(f'{one}Ntry')],
        }))
    else:
        print(json.dumps({
            'count': tree.findtext(f'.//{one}GrpHdr/{one}NbOfTxs'),
            'sum': minor(tree.findtext(f'.//{one}GrpHdr/{one}CtrlSum')),
            'amounts': [minor(part.text) for part in tree.iter(f'{one}InstdAmt')],
            'references': [part.text for part in tree.iter(f'{one}EndToEndId')],
        }))
