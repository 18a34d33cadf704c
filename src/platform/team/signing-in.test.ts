/**
 * Goal: a password, and a second factor where there is one, let nobody else in; and nobody who
 * tries can keep the owner of an account out. Method: the module's functions on a real database,
 * under a clock that tests move. The pages have tests of their own.
 */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import {
  browserAt,
  codeAt,
  goodPassword,
  sessionOf,
  withPassword,
} from '../../../test/support/people.ts'
import { manualClock } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { checkPassword, hashPassword, isPassword } from './passwords.ts'
import type { SignInEnd, SigningIn } from './signing-in.ts'
import {
  confirmTotp,
  findSession,
  removeTotp,
  renewRecoveryCodes,
  showSecondFactor,
  signIn,
  startTotp,
} from './team.ts'

const minute = 60_000
const clock = manualClock(new Date('2026-11-01T12:00:00Z'))
let server: TestServer
before(async () => {
  server = await startServer({}, undefined, clock)
})
after(() => server.stop())

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code

const tryWith = (email: string, password: string, browser: SigningIn): Promise<SignInEnd> =>
  signIn(server.app, { email, password }, browser)

/** Uses up the tries of strangers at an account, each from an address of its own. */
async function bombard(email: string): Promise<void> {
  for (let n = 1; n <= 10; n++)
    assert.equal(
      (await tryWith(email, 'not the password', browserAt(`198.51.100.${n}`))).state,
      'wrong',
    )
}

async function signedIn(email: string, browser = browserAt()) {
  const end = await tryWith(email, goodPassword, browser)
  assert.ok(end.state === 'signed_in')
  return end
}

/** An authenticator app of a person, with the recovery codes. */
async function withApp(email: string) {
  const { session, deviceToken } = await signedIn(email)
  const held = await sessionOf(server, session)
  const { secret } = await startTotp(server.app, held)
  const codes = await confirmTotp(server.app, held, codeAt(secret, clock.now()), browserAt())
  return { secret, codes, session, deviceToken }
}

async function saidPassword(email: string, browser = browserAt()): Promise<SigningIn> {
  const end = await tryWith(email, goodPassword, browser)
  assert.ok(end.state === 'second_factor')
  return { ...browser, session: end.session }
}

describe('passwords', () => {
  it('are long enough, not everybody’s, and not the person’s own name', () => {
    for (const good of [goodPassword, 'Tr0ub4dor&3x', 'пароль-и-ещё', '密码密码一二三四五六'])
      checkPassword(good, ['ada@example.com', 'Ada Lovelace'])
    for (const bad of [
      'short',
      '1234567890',
      '0987654321',
      'password123',
      'Passw0rd!!',
      'qwertyuiop1',
      'aaaaaaaaaaaa',
      'bursar12345',
      'lovelace-99!',
      'x'.repeat(201),
    ])
      assert.throws(
        () => checkPassword(bad, ['ada@example.com', 'Ada Lovelace']),
        refusedWith('password_refused'),
        bad,
      )
  })

  it('are kept as argon2id, and are the same from every keyboard', async () => {
    const hash = await hashPassword('Ångström-Straße')
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.ok(await isPassword(hash, 'A\u030angstro\u0308m-Straße', 'stranger'))
    assert.ok(!(await isPassword(hash, 'angstrom-strasse', 'stranger')))
    assert.ok(!(await isPassword(null, 'Ångström-Straße', 'stranger')))
  })
})

describe('signing in by a password', () => {
  it('gives a new session, however the address is written, and ends the one that the browser had', async () => {
    const { id, email } = await withPassword(server)
    const first = await signedIn(email)
    const second = await tryWith(
      ` ${email.toUpperCase()} `,
      goodPassword,
      browserAt('203.0.113.1', { session: first.session }),
    )
    assert.ok(second.state === 'signed_in')
    assert.notEqual(second.session, first.session)
    assert.equal(await findSession(server.app, first.session), null)
    const { person, secondFactor } = await sessionOf(server, second.session)
    assert.deepEqual([person.id, secondFactor], [id, { exists: false, shown: false }])
  })

  it('knows a person by the address, however its domain is spelled', async () => {
    const { id } = await withPassword(server, 'owner', { email: 'Ada@Bücher.example' })
    for (const email of [
      'ada@bücher.example',
      'ADA@xn--bcher-kva.example',
      'ada@BU\u0308CHER.example',
    ]) {
      const end = await tryWith(email, goodPassword, browserAt('192.0.2.7'))
      assert.ok(end.state === 'signed_in', email)
      assert.equal((await sessionOf(server, end.session)).person.id, id)
    }
    await assert.rejects(
      withPassword(server, 'owner', { email: 'ada@xn--bcher-kva.example' }),
      /there is a person with/,
    )
  })

  it('answers alike for a wrong password, an address of nobody, and a person without a password', async () => {
    const { email, id } = await withPassword(server)
    const without = await withPassword(server)
    await server.app.db.query('update persons set password_hash = null where id = $1', [without.id])
    for (const [who, password] of [
      [email, 'wrong password'],
      ['nobody@example.com', goodPassword],
      [without.email, goodPassword],
    ] as const)
      assert.deepEqual(await tryWith(who, password, browserAt(`192.0.2.${who.length}`)), {
        state: 'wrong',
      })
    const rows = await server.app.db.query(
      'select from person_sessions where person_id = any ($1)',
      [[id, without.id]],
    )
    assert.equal(rows.length, 0)
  })

  it('takes as long for an address of nobody', async (t) => {
    const argon2 = createRequire(import.meta.url)(
      '@node-rs/argon2',
    ) as typeof import('@node-rs/argon2')
    const [hash, verify] = [t.mock.method(argon2, 'hash'), t.mock.method(argon2, 'verify')]
    /**
     * What a try has the processor do: hashes that were made, and the settings and lengths of those
     * that were computed for a comparison.
     */
    const workFor = async (who: string): Promise<unknown> => {
      for (const one of [hash, verify]) one.mock.resetCalls()
      assert.equal((await tryWith(who, 'wrong password', browserAt('192.0.2.100'))).state, 'wrong')
      const compared = verify.mock.calls.map(({ arguments: [kept, typed] }) => {
        const [, algorithm, version, settings, salt, digest] = String(kept).split('$')
        return { algorithm, version, settings, lengths: [salt?.length, digest?.length], typed }
      })
      return { made: hash.mock.callCount(), compared }
    }
    const { email } = await withPassword(server)
    const known = await workFor(email)
    assert.deepEqual(known, {
      made: 0,
      compared: [
        {
          algorithm: 'argon2id',
          version: 'v=19',
          settings: 'm=19456,t=2,p=1',
          lengths: [22, 43],
          typed: 'wrong password',
        },
      ],
    })
    assert.deepEqual(await workFor('nobody@example.net'), known)
  })

  it('is tried ten times in a quarter of an hour from an address, and those that were right do not count', async () => {
    const { email } = await withPassword(server)
    const browser = browserAt('203.0.113.20')
    for (let n = 0; n < 12; n++) await signedIn(email, browser)
    for (let n = 0; n < 10; n++)
      assert.equal((await tryWith(`somebody-${n}@example.com`, 'x', browser)).state, 'wrong')
    const end = await tryWith(email, goodPassword, browser)
    assert.ok(end.state === 'limited' && end.seconds > 0 && end.seconds <= 900)
    clock.advance(15 * minute)
    await signedIn(email, browser)
  })

  it('is tried ten times at an account, of somebody or nobody, from however many addresses', async () => {
    const { email } = await withPassword(server)
    for (const who of [email, 'no-such-person@example.com']) {
      await bombard(who)
      assert.equal((await tryWith(who, goodPassword, browserAt('203.0.113.30'))).state, 'limited')
    }
  })

  it('counts tries that come at once', async () => {
    const { email } = await withPassword(server)
    const tried = Array.from({ length: 16 }, (_, n) =>
      tryWith(email, 'wrong password', browserAt(`192.0.2.${n}`)),
    )
    const states = (await Promise.all(tried)).map(({ state }) => state)
    assert.equal(states.filter((state) => state === 'wrong').length, 10)
  })

  it('is open to a device that signed in before, whatever strangers have tried', async () => {
    const { email } = await withPassword(server)
    const other = await withPassword(server)
    const { deviceToken } = await signedIn(email)
    await bombard(email)
    assert.equal((await tryWith(email, goodPassword, browserAt())).state, 'limited')
    const known = browserAt('198.51.100.1', { deviceToken })
    await signedIn(email, known)
    // Of another's account it knows nothing, and a made-up token is none.
    await bombard(other.email)
    assert.equal((await tryWith(other.email, goodPassword, known)).state, 'limited')
    const madeUp = browserAt('203.0.113.77', { deviceToken: `${'a'.repeat(16)}.${'0'.repeat(64)}` })
    assert.equal((await tryWith(email, goodPassword, madeUp)).state, 'limited')
    // It has ten tries of its own: a device that was stolen does not try for ever.
    for (let n = 0; n < 10; n++)
      assert.equal((await tryWith(email, 'wrong password', known)).state, 'wrong')
    assert.equal((await tryWith(email, goodPassword, known)).state, 'limited')
    clock.advance(15 * minute)
  })
})

describe('a flood of strangers', () => {
  it('takes no place of a device that signed in before, whose turn is next', async () => {
    const { email } = await withPassword(server)
    const { deviceToken } = await signedIn(email)
    const ends: string[] = []
    const flood = Array.from({ length: 150 }, (_, n) =>
      tryWith(`nobody-${n}@example.com`, 'not the password', browserAt(`192.0.2.${n}`)).then(
        ({ state }) => ends.push(state),
        ({ code }) => ends.push(code),
      ),
    )
    await until(async () => ends.includes('overloaded'))
    await signedIn(email, browserAt('192.0.2.200', { deviceToken }))
    await Promise.all(flood)
  })

  it('waits behind who is known', async () => {
    const ends: string[] = []
    const strangers = Array.from({ length: 40 }, () =>
      isPassword(null, 'not the password', 'stranger').then(() => ends.push('stranger')),
    )
    await Promise.all([
      ...strangers,
      isPassword(null, 'not the password', 'known').then(() => ends.push('known')),
    ])
    assert.ok(ends.indexOf('known') < 20, ends.join())
  })
})

describe('the second factor', () => {
  it('is asked for after the password, and the session is another then', async () => {
    const { email } = await withPassword(server)
    const { secret } = await withApp(email)
    clock.advance(minute)
    const browser = await saidPassword(email)
    assert.equal(await findSession(server.app, browser.session as string), null)
    assert.deepEqual(await showSecondFactor(server.app, '000000', browser), { state: 'wrong' })
    const code = codeAt(secret, clock.now())
    const end = await showSecondFactor(
      server.app,
      ` ${code.slice(0, 3)} ${code.slice(3)} `,
      browser,
    )
    assert.ok(end.state === 'signed_in')
    assert.notEqual(end.session, browser.session)
    assert.deepEqual((await sessionOf(server, end.session)).secondFactor, {
      exists: true,
      shown: true,
    })
    // What waited for it is over, and the code was taken: whoever has read both gets in by neither.
    assert.deepEqual(await showSecondFactor(server.app, code, browser), { state: 'lost' })
    assert.deepEqual(await showSecondFactor(server.app, code, await saidPassword(email)), {
      state: 'wrong',
    })
  })

  it('is good half a minute early and late, and not longer', async () => {
    const { email } = await withPassword(server)
    const { secret } = await withApp(email)
    const at = (ms: number) => codeAt(secret, new Date(clock.now().getTime() + ms))
    clock.advance(10 * minute)
    const browser = await saidPassword(email)
    for (const ms of [-minute, minute])
      assert.equal((await showSecondFactor(server.app, at(ms), browser)).state, 'wrong')
    assert.equal((await showSecondFactor(server.app, at(-30_000), browser)).state, 'signed_in')
    assert.equal(
      (await showSecondFactor(server.app, at(30_000), await saidPassword(email))).state,
      'signed_in',
    )
  })

  it('takes each code once, of two that come at the same time too', async () => {
    const { email } = await withPassword(server)
    const { secret, codes } = await withApp(email)
    clock.advance(minute)
    for (const code of [codeAt(secret, clock.now()), codes[0] as string]) {
      const browsers = [
        await saidPassword(email),
        await saidPassword(email, browserAt('203.0.113.2')),
      ]
      const ends = await Promise.all(
        browsers.map((browser) => showSecondFactor(server.app, code, browser)),
      )
      assert.deepEqual(ends.map(({ state }) => state).sort(), ['signed_in', 'wrong'])
    }
    assert.deepEqual(
      await showSecondFactor(server.app, codes[0] as string, await saidPassword(email)),
      { state: 'wrong' },
      'a recovery code that was used',
    )
  })

  it('is replaced by a recovery code, typed in any way', async () => {
    const { email } = await withPassword(server)
    const { codes } = await withApp(email)
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/)
    const typed = (codes[3] as string)
      .toUpperCase()
      .replaceAll('-', ' ')
      .replaceAll('0', 'O')
      .replaceAll('1', 'l')
    const end = await showSecondFactor(server.app, typed, await saidPassword(email))
    assert.equal(end.state, 'signed_in')
  })

  it('is tried ten times, and a known device has tries of its own', async () => {
    const { email } = await withPassword(server)
    const { secret, deviceToken } = await withApp(email)
    clock.advance(minute)
    const stranger = await saidPassword(email, browserAt('203.0.113.40'))
    for (let n = 0; n < 10; n++)
      assert.equal((await showSecondFactor(server.app, '123456', stranger)).state, 'wrong')
    assert.equal(
      (await showSecondFactor(server.app, codeAt(secret, clock.now()), stranger)).state,
      'limited',
    )
    const known = await saidPassword(email, browserAt('203.0.113.40', { deviceToken }))
    assert.equal(
      (await showSecondFactor(server.app, codeAt(secret, clock.now()), known)).state,
      'signed_in',
    )
    clock.advance(15 * minute)
    const late = await saidPassword(email)
    clock.advance(11 * minute)
    assert.equal(
      (await showSecondFactor(server.app, codeAt(secret, clock.now()), late)).state,
      'lost',
    )
  })

  it('is set up and taken away by who has just signed in with all there is, and ends the other sessions', async () => {
    const { email, id } = await withPassword(server)
    const other = await signedIn(email)
    const mine = await signedIn(email)
    const held = await sessionOf(server, mine.session)
    const { secret, uri } = await startTotp(server.app, held)
    assert.match(uri, /^otpauth:\/\/totp\/Bursar:.*secret=/)
    await assert.rejects(
      confirmTotp(server.app, held, '000000', browserAt()),
      refusedWith('code_wrong'),
    )
    await confirmTotp(server.app, held, codeAt(secret, clock.now()), browserAt())
    assert.equal(await findSession(server.app, other.session), null)
    const strong = await sessionOf(server, mine.session)
    assert.deepEqual(strong.secondFactor, { exists: true, shown: true })
    await assert.rejects(startTotp(server.app, strong), refusedWith('code_wrong'))
    clock.advance(31 * minute)
    const work = [
      () => removeTotp(server.app, strong, browserAt()),
      () => renewRecoveryCodes(server.app, strong),
    ]
    for (const change of work)
      await assert.rejects(async () => change(), refusedWith('sign_in_again'))
    // A session that knows the password alone, of a person who has more.
    const weak = {
      ...strong,
      signedInAt: clock.now(),
      secondFactor: { exists: true, shown: false },
    }
    await assert.rejects(removeTotp(server.app, weak, browserAt()), refusedWith('factor_needed'))
    await removeTotp(server.app, { ...strong, signedInAt: clock.now() }, browserAt())
    await signedIn(email)
    const actions = await server.app.db.query<{ action: string }>(
      'select action from audit_log where subject = $1 and livemode order by id',
      [id],
    )
    assert.deepEqual(
      actions.map(({ action }) => action),
      ['person.password_changed', 'person.second_factor_added', 'person.second_factor_removed'],
    )
  })

  it('stands in no table as it is', async () => {
    const { email } = await withPassword(server)
    const { secret, codes, session } = await withApp(email)
    const text = JSON.stringify([
      await server.app.db.query('select p::text from persons p'),
      await server.app.db.query('select r::text from recovery_codes r'),
      await server.app.db.query('select s::text from person_sessions s'),
      await server.app.db.query('select a::text from audit_log a'),
    ])
    const hex = Buffer.from(secret).toString('hex')
    for (const secretText of [
      secret,
      hex,
      goodPassword,
      session,
      ...codes,
      ...codes.map((code) => code.replaceAll('-', '')),
    ])
      assert.ok(!text.includes(secretText))
  })
})
