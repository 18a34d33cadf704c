#!/usr/bin/env bash
# What readers of camt.053 make of the other version of the message: who paid, and what is pending.
#
# One would guess: a reader of version 08 refuses a statement of version 02, since the namespace names
# the version; or it reads it whole. And a list of "transactions" of a statement that is valid by its
# schema comes from the opening to the closing balance.
# True:
# - Prowide's class of one version reads the other without an error. Amounts and directions are right;
#   the status is null, whether BOOK or PDNG, and so is the payer's name. Both moved: version 08 has
#   <Sts><Cd>BOOK</Cd></Sts> and <Dbtr><Pty><Nm>, version 02 <Sts>BOOK</Sts> and <Dbtr><Nm>.
#   AbstractMX.parse chooses the class by the namespace and has both.
# - bankstatementparser reads both versions. Of version 08 the payer's name is '' without a warning.
#   Of both it lists pending entries (PDNG) among the booked ones, and has no column that says which.
# - camt053 (PyPI) has status and name of both.
#
# Why it matters to who runs payments: banks move from version 02 to 08, often from one day to the
# next. Nothing fails that day: payments only stop to match by name, a filter on BOOK finds none, and
# without a filter pending money is booked. Choose the class by the namespace, and verify opening
# balance + booked entries = closing balance before any entry is used.
#
# Versions: pw-iso20022 SRU2025-10.3.10 and pw-swift-core SRU2025-10.3.8 (Maven), bankstatementparser 0.0.29 and camt053 0.0.23 (PyPI).
# Source: ISO 20022 camt.053.001.02 (ReportEntry2, PartyIdentification32) and camt.053.001.08
# (ReportEntry10, EntryStatus1Choice, Party40Choice). Both files below are valid by their schemas.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip --quiet --disable-pip-version-check install --no-compile bankstatementparser==0.0.29 camt053==0.0.23 lxml==6.1.3
cat > pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>f</groupId><artifactId>f</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>com.prowidesoftware</groupId><artifactId>pw-iso20022</artifactId><version>SRU2025-10.3.10</version></dependency>
    <dependency><groupId>com.prowidesoftware</groupId><artifactId>pw-swift-core</artifactId><version>SRU2025-10.3.8</version></dependency>
  </dependencies>
</project>
XML
mvn -B -ntp -q dependency:copy-dependencies -DoutputDirectory=jars
env/bin/pip list 2> /dev/null | grep -E '^(bankstatementparser|camt053|lxml) '
(cd jars && ls pw-*)

# A statement of 1000.00 with 10.00 booked from Ada and 25.00 pending from Obi, in each version.
cat > write.py <<'PY'
def entry(amount, status, name, new):
    sts = f'<Cd>{status}</Cd>' if new else status
    party = f'<Pty><Nm>{name}</Nm></Pty>' if new else f'<Nm>{name}</Nm>'
    return (f'<Ntry><Amt Ccy="EUR">{amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>{sts}</Sts>'
            '<BookgDt><Dt>2026-12-01</Dt></BookgDt><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd>'
            '<SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls><Refs><EndToEndId>'
            f'{name}</EndToEndId></Refs><RltdPties><Dbtr>{party}</Dbtr></RltdPties></TxDtls></NtryDtls></Ntry>')

def balance(code, amount):
    return (f'<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">{amount}</Amt>'
            '<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-12-01</Dt></Dt></Bal>')

for version in ('02', '08'):
    new = version == '08'
    open(f'{version}.xml', 'w').write(
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.{version}"><BkToCstmrStmt>'
        '<GrpHdr><MsgId>M</MsgId><CreDtTm>2026-12-02T00:00:00Z</CreDtTm></GrpHdr>'
        '<Stmt><Id>S</Id><CreDtTm>2026-12-02T00:00:00Z</CreDtTm><Acct><Id><IBAN>DE89370400440532013000'
        f'</IBAN></Id></Acct>{balance("OPBD", "1000.00")}{balance("CLBD", "1010.00")}'
        f'{entry("10.00", "BOOK", "Ada", new)}{entry("25.00", "PDNG", "Obi", new)}'
        '</Stmt></BkToCstmrStmt></Document>')
PY
env/bin/python write.py

cat > read.py <<'PY'
import pathlib
import camt053
from bankstatementparser import CamtParser
from lxml import etree

schemas = pathlib.Path(camt053.__file__).parent / 'xsd'
for version, names in (('02', ['Ada', 'Obi']), ('08', ['', ''])):
    schema = etree.XMLSchema(etree.parse(str(schemas / f'camt.053.001.{version}.xsd')))
    schema.assertValid(etree.parse(f'{version}.xml'))
    table = CamtParser(f'{version}.xml').parse()
    seen = [(str(one['Amount']), one['Debtor']) for one in table.to_dict('records')]
    print(version, 'bankstatementparser', seen, 'status' in str(list(table.columns)).lower())
    assert seen == list(zip(['10.00', '25.00'], names))
    assert not [one for one in table.columns if 'stat' in one.lower() or 'sts' in one.lower()]
    entries = camt053.parse_document(pathlib.Path(f'{version}.xml').read_text()).statements[0].entries
    read = [(one.amount, one.status, one.details[0].counterparty_name) for one in entries]
    print(version, 'camt053            ', read)
    assert read == [('10.00', 'BOOK', 'Ada'), ('25.00', 'PDNG', 'Obi')]
PY
env/bin/python read.py

cat > Read.java <<'JAVA'
import com.prowidesoftware.swift.model.mx.AbstractMX;
import com.prowidesoftware.swift.model.mx.MxCamt05300102;
import com.prowidesoftware.swift.model.mx.MxCamt05300108;
import java.nio.file.Files;
import java.nio.file.Path;

public class Read {
  public static void main(String[] args) throws Exception {
    for (String version : new String[] {"02", "08"}) {
      String text = Files.readString(Path.of(version + ".xml"));
      for (var entry : MxCamt05300108.parse(text).getBkToCstmrStmt().getStmt().get(0).getNtry()) {
        var payer = entry.getNtryDtls().get(0).getTxDtls().get(0).getRltdPties().getDbtr().getPty();
        System.out.println(version + " by MxCamt05300108: " + entry.getAmt().getValue() + " "
            + (entry.getSts() == null ? null : entry.getSts().getCd()) + " "
            + (payer == null ? null : payer.getNm()));
      }
      for (var entry : MxCamt05300102.parse(text).getBkToCstmrStmt().getStmt().get(0).getNtry()) {
        var payer = entry.getNtryDtls().get(0).getTxDtls().get(0).getRltdPties().getDbtr();
        System.out.println(version + " by MxCamt05300102: " + entry.getAmt().getValue() + " "
            + entry.getSts() + " " + payer.getNm());
      }
      System.out.println(version + " by AbstractMX: " + AbstractMX.parse(text).getClass().getSimpleName());
    }
  }
}
JAVA
javac -cp 'jars/*' -d . Read.java
java -cp 'jars/*:.' Read | tee seen.txt
diff seen.txt - <<'SEEN'
02 by MxCamt05300108: 10.00 null null
02 by MxCamt05300108: 25.00 null null
02 by MxCamt05300102: 10.00 BOOK Ada
02 by MxCamt05300102: 25.00 PDNG Obi
02 by AbstractMX: MxCamt05300102
08 by MxCamt05300108: 10.00 BOOK Ada
08 by MxCamt05300108: 25.00 PDNG Obi
08 by MxCamt05300102: 10.00 null null
08 by MxCamt05300102: 25.00 null null
08 by AbstractMX: MxCamt05300108
SEEN
