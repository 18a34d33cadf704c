/**
 * Goal: `docs/tour.md` works as printed. Method: its commands are pasted in their order, at a
 * server as `npm start` runs it, and the answers are compared with those below them; then the demo plays its
 * day. `start.test.ts` compares the README's first output, and `npm run first-webhook` types the rest.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { command, type Served, serve } from '../../support/commands.ts'
import { type Json, until } from '../../support/harness.ts'
import { run } from '../../support/python.ts'

/** Ids, moments, account numbers and addresses differ each time: their form is compared. */
const forms = [
  /^(sbx_)?[0-9a-f]{24}$/,
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  /^\d{10}$/,
  /^http:\/\/localhost:\d+\/pay\/\w+$/,
]

/** Stands for the rest of a list. */
const more = 'more'

function assertShown(actual: Json, shown: Json, place: string): void {
  if (Array.isArray(shown)) {
    // What a list shows in part depends on the reader's pace.
    const whole = shown.at(-1) !== more
    assert.ok(Array.isArray(actual) && (!whole || actual.length === shown.length), place)
    if (!whole) return
    for (const [i, one] of shown.entries()) assertShown(actual[i], one, `${place}[${i}]`)
  } else if (shown !== null && typeof shown === 'object')
    for (const [name, one] of Object.entries(shown))
      assertShown(actual?.[name], one, `${place}.${name}`)
  else {
    const form = forms.find((one) => one.test(shown))
    if (form) assert.match(actual, form, place)
    else assert.equal(actual, shown, place)
  }
}

type Block = { language: string; text: string }

/** The commands of the tour by curl, and its answers, in their order. */
function readTour(): Block[] {
  const blocks = [...readFileSync('docs/tour.md', 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  return blocks
    .map(([, language = '', text = '']) => ({ language, text }))
    .filter(({ language, text }) => language === 'json' || /^(curl|export) /m.test(text))
}

/** The commands of a block, without line ends within them. */
const commandsOf = ({ text }: Block): string[] =>
  text.replaceAll('\\\n', ' ').split('\n').filter(Boolean)

const kept = /^([A-Z_]+)=\S+ +# `(\w+)` of the answer$/

describe('the tour', () => {
  let dir: string
  let served: Served
  let setUp: string
  let key: string
  const env = () => ({ DATA_DIR: join(dir, 'data'), RATE_LIMIT_MAX: '0' })
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'bursar-tour-'))
    served = await serve(env())
    key = await until(async () => /test key (sk_test_\w+)/.exec(served.output())?.[1])
    setUp = (readTour()[0]?.text ?? '')
      .replace('http://localhost:4000', served.url)
      .replace('sk_test_<...>', key)
    assert.ok(setUp.includes(served.url) && setUp.includes(key))
  })
  after(async () => {
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
    rmSync(dir, { recursive: true, force: true })
  })

  it('answers as it shows', async (t) => {
    if ((await run('curl', ['--version'])).code !== 0) return t.skip('curl is missing')
    const [, ...blocks] = readTour()
    const env: Record<string, string> = {}
    const paste = async (line: string): Promise<Json> => {
      const text = `set -euo pipefail\ncurl() { command curl -sS "$@"; }\n${setUp}\n${line}`
      const { code, out, err } = await run('bash', ['-c', text], '', env)
      assert.deepEqual([code, err], [0, ''], line)
      return JSON.parse(out)
    }
    let last = ''
    let answer: Json = null
    for (const block of blocks) {
      if (block.language === 'json') {
        const shown = JSON.parse(
          block.text.replaceAll(',<...>]', `,"${more}"]`).replaceAll(',<...>', ''),
        )
        if (shown.errors) continue
        // A page that says to wait for something says what comes then.
        if (last.startsWith('curl $BURSAR_URL/payouts/'))
          await until(async () => {
            answer = await paste(last)
            return answer.data.status === shown.data.status
          })
        assertShown(answer, shown, last)
        continue
      }
      for (const line of commandsOf(block)) {
        const [, name, field] = kept.exec(line) ?? []
        if (name && field) {
          env[name] = answer.data[field]
          assert.match(env[name] ?? '', forms[0] as RegExp, line)
          continue
        }
        answer = await paste(line)
        assert.equal(answer.errors, undefined, `${line}\n${JSON.stringify(answer)}`)
        last = line
      }
    }
  })

  it('ends with a day of a shop, and the books add up', async () => {
    const keys = { BURSAR_URL: served.url, BURSAR_KEY: key }
    const { code, out, err } = await run(process.execPath, ['demo/demo.ts'], '', keys)
    assert.equal(code, 0, out + err)
    assert.match(out, /✓ The books add up: 22 transactions, \d+ requests/)
    const verified = await command(['ledger', 'verify'], env())
    assert.match(verified.out, /^The books are clean: \d+ accounts, \d+ postings\.$/m)
  })
})
