#!/usr/bin/env bash
# A union of events with a discriminator, through the Rust client of OpenAPI Generator.
#
# One would guess: of a oneOf whose schemas each require the field "type", with a discriminator "type",
# the generator makes an enum that reads {"id":"1","type":"paid","amount":1}.
# True: it makes #[serde(tag = "type")] over structs that have a required field "type" themselves. serde
# takes the tag out before it reads the struct, so every value fails with "missing field `type`". Each
# struct by itself is read. Written, the enum has "type" twice in one object.
#
# Why it matters to who runs payments: a receiver of webhooks in Rust that reads the union refuses every
# delivery, and only at run time. It has to choose the event's own type by a header first.
#
# Versions: OpenAPI Generator 7.25.0 (Maven), serde 1.0.228, serde_json 1.0.145.
# Needs: Java 11, Cargo, curl. Source: seen by running; serde.rs, Enum representations, internally tagged.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
curl -fsSo generator.jar https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/7.25.0/openapi-generator-cli-7.25.0.jar

cat > spec.json <<'JSON'
{
  "openapi": "3.1.0", "info": { "title": "Events", "version": "1" }, "servers": [{ "url": "http://127.0.0.1" }],
  "paths": { "/event": { "get": { "operationId": "getEvent", "responses": { "200": { "description": "One",
    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Event" } } } } } } } },
  "components": { "schemas": {
    "Paid": { "type": "object", "required": ["id", "type", "amount"], "properties": {
      "id": { "type": "string" }, "type": { "type": "string", "const": "paid" }, "amount": { "type": "integer", "format": "int64" } } },
    "Failed": { "type": "object", "required": ["id", "type", "reason"], "properties": {
      "id": { "type": "string" }, "type": { "type": "string", "const": "failed" }, "reason": { "type": "string" } } },
    "Event": { "oneOf": [{ "$ref": "#/components/schemas/Paid" }, { "$ref": "#/components/schemas/Failed" }],
      "discriminator": { "propertyName": "type", "mapping": { "paid": "#/components/schemas/Paid", "failed": "#/components/schemas/Failed" } } }
  } }
}
JSON
java -jar generator.jar generate -g rust -i spec.json -o client --additional-properties=packageName=events > generator.log 2>&1

# The models alone, without what sends requests.
mkdir -p try/src
cp -r client/src/models try/src/
cat > try/Cargo.toml <<'TOML'
[package]
name = "try"
version = "0.1.0"
edition = "2021"

[dependencies]
serde = { version = "=1.0.228", features = ["derive"] }
serde_json = "=1.0.145"
TOML
cat > try/src/main.rs <<'RS'
mod models;

fn main() {
    let text = r#"{"id":"1","type":"paid","amount":1}"#;
    let paid: models::Paid = serde_json::from_str(text).unwrap();
    println!("Paid: {}", paid.amount);
    println!("Event: {}", serde_json::from_str::<models::Event>(text).unwrap_err());
    println!("written: {}", serde_json::to_string(&models::Event::Paid(Box::new(paid))).unwrap());
}
RS
cd try
RUSTFLAGS=-Awarnings cargo run --quiet > ../out.txt
cat ../out.txt
diff ../out.txt - <<'TEXT'
Paid: 1
Event: missing field `type`
written: {"type":"paid","id":"1","type":"paid","amount":1}
TEXT
