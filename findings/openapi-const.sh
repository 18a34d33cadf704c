#!/usr/bin/env bash
# A field of one value, beside a reference and beside a type, through four generators of clients.
#
# One would guess: in OpenAPI 3.1, {"$ref": "#/components/schemas/Kind", "const": "paid"} and
# {"type": "string", "const": "paid"} are read alike, since JSON Schema 2020-12 applies keywords beside $ref.
# A union of such schemas is then told apart by the field.
# True, where a schema extends another by allOf: ogen writes a client for the second and stops at the
# first with "unsupported const encoding". hey-api and orval drop the constant of the first, so that
# orval's union is not narrowed by the field (hey-api repeats the discriminator's values in the union).
# datamodel-code-generator keeps both.
#
# Why it matters to who runs payments: the type of a webhook's event is such a field. A receiver that
# cannot narrow by it casts payloads by hand, and takes one record for another.
#
# Versions: ogen 1.25.0, @hey-api/openapi-ts 0.99.0 with typescript 5.9.3, orval 8.38.0, datamodel-code-generator 0.89.0.
# Needs: Go 1.26, Node.js, Python 3.10. Source: seen by running; JSON Schema 2020-12 core, 8.2.3.1 ($ref).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{ "type": "module" }' > package.json
npm install --silent --no-audit --no-fund @hey-api/openapi-ts@0.99.0 orval@8.38.0 typescript@5.9.3
python3 -m venv py
py/bin/pip install --quiet datamodel-code-generator==0.89.0

spec() { # the schema of the field "type" of Paid, and of Failed
  cat <<JSON
{
  "openapi": "3.1.0", "info": { "title": "Events", "version": "1" }, "servers": [{ "url": "http://127.0.0.1" }],
  "paths": { "/event": { "get": { "operationId": "getEvent", "responses": { "200": { "description": "One",
    "content": { "application/json": { "schema": { "\$ref": "#/components/schemas/Event" } } } } } } } },
  "components": { "schemas": {
    "Kind": { "type": "string", "enum": ["paid", "failed"] },
    "Head": { "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } },
    "Paid": { "allOf": [{ "\$ref": "#/components/schemas/Head" },
      { "type": "object", "required": ["type", "amount"], "properties": { "type": $1, "amount": { "type": "integer" } } }] },
    "Failed": { "allOf": [{ "\$ref": "#/components/schemas/Head" },
      { "type": "object", "required": ["type", "reason"], "properties": { "type": $2, "reason": { "type": "string" } } }] },
    "Event": { "oneOf": [{ "\$ref": "#/components/schemas/Paid" }, { "\$ref": "#/components/schemas/Failed" }],
      "discriminator": { "propertyName": "type", "mapping": { "paid": "#/components/schemas/Paid", "failed": "#/components/schemas/Failed" } } }
  } }
}
JSON
}
kind='{ "$ref": "#/components/schemas/Kind", "const": '
text='{ "type": "string", "const": '
spec "$kind\"paid\" }" "$kind\"failed\" }" > reference.json
spec "$text\"paid\" }" "$text\"failed\" }" > type.json

# What each makes of the field "type" of Paid.
for how in reference type; do
  npx openapi-ts --silent --no-log-file -i "$how.json" -o "hey-$how" -p @hey-api/typescript > /dev/null
  echo "export default { events: { input: '$how.json', output: { target: 'orval-$how.ts', client: 'fetch' } } }" > orval.config.mjs
  npx orval --config orval.config.mjs > /dev/null
  py/bin/datamodel-codegen --input "$how.json" --input-file-type openapi --formatters builtin \
    --output-model-type pydantic_v2.BaseModel --output "python_$how.py"
  hey=$(grep -A2 'export type Paid =' "hey-$how/types.gen.ts" | grep -o 'type: [^;]*')
  orval=$(grep -A2 'export type Paid =' "orval-$how.ts" | grep -o 'type: [^;]*')
  python=$(grep -A2 'class Paid' "python_$how.py" | grep -o 'type: .*')
  if go run github.com/ogen-go/ogen/cmd/ogen@v1.25.0 --package events --target "ogen-$how" --clean "$how.json" > ogen.log 2>&1
  then ogen='a client'; else ogen=$(grep -o 'unsupported const encoding for type: alias.*' ogen.log); fi
  printf '%s\n' "$how: hey-api $hey | orval $orval | datamodel-code-generator $python | ogen $ogen" | tee "$how.txt"
done

grep -qF "hey-api type: Kind | orval type: Kind | datamodel-code-generator type: Literal['paid'] | ogen unsupported const encoding for type: alias(Kind)" reference.txt
grep -qF "hey-api type: 'paid' | orval type: 'paid' | datamodel-code-generator type: Literal['paid'] | ogen a client" type.txt
