"""Reads bank files: read.py WHEELS FORMAT FILE [FORMAT FILE ...]. Prints a line of JSON for each.

Amounts are in minor units. XML is validated by the schema of ISO 20022, which WHEELS, a folder of
packages, has.
"""
import io
import json
import pathlib
import sys
import zipfile
from decimal import Decimal

import mt940
from lxml import etree

wheels, *pairs = sys.argv[1:]


def minor(amount):
    exact = Decimal(amount) * 100
    assert exact == int(exact), amount
    return str(int(exact))


def schema(form):
    for wheel in pathlib.Path(wheels).glob('*.whl'):
        with zipfile.ZipFile(wheel) as packed:
            for name in packed.namelist():
                if name.endswith(f'/{form}.xsd'):
                    return packed.read(name)
    raise SystemExit(f'no schema of {form}')


def read_mt940(content):
    statement = mt940.parse(content.decode('ascii'))
    data = statement.data
    return {
        'opening': minor(data['final_opening_balance'].amount.amount),
        'closing': minor(data['final_closing_balance'].amount.amount),
        'currency': data['final_closing_balance'].amount.currency,
        'amounts': [minor(one.data['amount'].amount) for one in statement],
        'days': [str(one.data['entry_date']) for one in statement],
    }


def read_xml(form, content):
    tree = etree.parse(io.BytesIO(content))
    etree.XMLSchema(etree.parse(io.BytesIO(schema(form)))).assertValid(tree)
    one = '{%s}' % etree.QName(tree.getroot()).namespace

    def signed(part):
        sign = '' if part.findtext(f'{one}CdtDbtInd') == 'CRDT' else '-'
        return minor(sign + part.findtext(f'{one}Amt'))

    if form.startswith('camt'):
        balances = [signed(part) for part in tree.iter(f'{one}Bal')]
        return {
            'opening': balances[0],
            'closing': balances[1],
            'currency': tree.findtext(f'.//{one}Ccy'),
            'amounts': [signed(part) for part in tree.iter(f'{one}Ntry')],
            'days': [part.findtext(f'{one}BookgDt/{one}Dt') for part in tree.iter(f'{one}Ntry')],
        }
    return {
        'count': tree.findtext(f'.//{one}GrpHdr/{one}NbOfTxs'),
        'sum': minor(tree.findtext(f'.//{one}GrpHdr/{one}CtrlSum')),
        'amounts': [minor(part.text) for part in tree.iter(f'{one}InstdAmt')],
    }


for form, file in zip(pairs[::2], pairs[1::2]):
    content = pathlib.Path(file).read_bytes()
    print(json.dumps(read_mt940(content) if form == 'mt940' else read_xml(form, content)))
