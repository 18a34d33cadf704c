import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contrastOf } from '../../../lib/colors.ts'
import { html, raw, webAddress } from '../../../lib/html.ts'
import { brandStyle } from './brand.ts'
import { collectionPage } from './collection.ts'
import { messagePage } from './message.ts'
import type { Brand, CollectionPage, MessageKind, Money, PaymentPage } from './model.ts'
import { paymentPage } from './payment.ts'
import { script } from './script.ts'
import { styles } from './styles.ts'

const naira = (formatted: string): Money => ({ amount: 500_000n, currency: 'ngn', formatted })

const plain: Brand = { logo: null, color: null, email: null, phone: null, terms: null, legal: [] }
const logo = { path: '/logos/abc', url: 'https://pay.example/logos/abc', width: 64, height: 32 }
const brand: Brand = {
  logo,
  color: '#ffcc00',
  email: 'help@ada.example',
  phone: '+2348012345678',
  terms: 'https://ada.example/terms',
  legal: ['12 Allen Avenue, Ikeja, NG', 'RC 12345', 'Tax ID 987'],
}
const payment: PaymentPage = {
  language: 'en',
  path: '/pay/abc',
  livemode: true,
  secure: true,
  business: 'Ada Stores',
  brand: plain,
  description: 'Order 1042',
  reference: 'ORD-1042',
  lines: [],
  billedTo: null,
  taxes: null,
  document: null,
  price: naira('₦5,000.00'),
  fee: null,
  due: naira('₦5,000.00'),
  received: null,
  confirming: null,
  surplus: null,
  kept: null,
  status: 'pending',
  late: false,
  expiresAt: '2026-03-01T12:30:00.000Z',
  secondsLeft: 1_800,
  paidAt: null,
  timeZone: 'Africa/Lagos',
  methods: ['card', 'bank_transfer', 'crypto'],
  method: null,
  token: 'a-token',
  version: 'v1',
  payer: { asked: false, email: null, wrong: false },
  card: {
    state: 'form',
    failure: null,
    faults: [],
    expiry: '',
    earliest: 2603,
    amount: null,
    last4: null,
    brand: null,
    brands: ['visa', 'mastercard', 'verve', 'amex'],
  },
  transfer: null,
  transferNews: null,
  crypto: {
    choices: [{ id: 'usdc.base', token: 'USDC', network: 'Base', testnet: false }],
    lowestFirst: true,
    rates: ['1 USDC = ₦1,550.00'],
    chosen: null,
  },
  returnUrl: null,
  cancelUrl: null,
}
const transfer = {
  amount: naira('₦5,000.00'),
  accountNumber: '0123456789',
  accountName: 'Ada Stores',
  bankName: 'A Bank',
  routingNumber: null,
  returned: false,
}
const chosen = {
  id: 'usdc.base',
  token: 'USDC',
  network: 'Base',
  address: '0xabc',
  amount: '12.50',
  rate: '1 USDC = ₦1,550.00. This rate holds until 12:30 UTC.',
  link: 'ethereum:0xabc@8453/transfer?address=0xdef&uint256=12500000',
  qr: '<svg viewBox="0 0 1 1"><path d="M0 0h1v1h-1z"/></svg>',
}
const collection: CollectionPage = {
  language: 'en',
  path: '/collect/xyz',
  livemode: true,
  business: 'Ada Stores',
  brand: plain,
  name: 'School trip',
  description: null,
  state: 'open',
  amount: null,
  currency: 'ngn',
  min: null,
  max: null,
  error: null,
  readings: null,
  values: { amount: '', email: '' },
  token: 'a-token',
}

const card = (more: Partial<PaymentPage['card']>): Partial<PaymentPage> => ({
  method: 'card',
  card: { ...payment.card, ...more },
})
const failures = ['declined', 'insufficient_funds', 'expired_card', 'incorrect_cvc', 'a_new_code']
const lines = (count: number) =>
  Array.from({ length: count }, () => ({
    name: 'Shoes',
    quantity: 2,
    unit: '₦1.00',
    total: '₦2.00',
    tax: null,
  }))
const ended: PaymentPage['status'][] = ['completed', 'failed', 'expired', 'canceled']

const payments: Partial<PaymentPage>[] = [
  {},
  { livemode: false },
  { brand },
  { brand: { ...plain, phone: brand.phone }, livemode: false },
  {
    secondsLeft: 30,
    description: 'A long one. '.repeat(40),
    fee: naira('₦75.00'),
    lines: lines(2),
    cancelUrl: 'https://a.example',
  },
  { received: naira('₦2,000.00'), due: naira('₦3,000.00'), lines: lines(9) },
  { kept: naira('₦2,000.00'), method: 'bank_transfer', transfer },
  card({}),
  {
    ...card({}),
    livemode: false,
    methods: ['card'],
    document: { href: '/invoice.pdf', number: 'INV-1' },
  },
  ...failures.map((failure) => card({ failure })),
  card({ faults: ['number', 'cvc'], expiry: '08/29' }),
  card({ state: 'processing', last4: '4242', brand: 'Visa' }),
  { ...card({ state: 'challenge', last4: '3184' }), livemode: false },
  card({ state: 'leave', failure: 'processing_error' }),
  { ...card({ state: 'leave' }), payer: { asked: true, email: null, wrong: false } },
  { ...card({ state: 'leave' }), payer: { asked: false, email: 'a•••@example.com', wrong: false } },
  ...(['starting', 'away', 'confirming'] as const).map((state) => card({ state })),
  card({ state: 'away', failure: 'insufficient_funds' }),
  {
    ...card({ state: 'closed', failure: 'declined', last4: '0002', brand: 'visa' }),
    livemode: false,
  },
  { method: 'bank_transfer' },
  { method: 'bank_transfer', payer: { asked: true, email: null, wrong: true } },
  { method: 'bank_transfer', transfer },
  {
    method: 'bank_transfer',
    transfer: { ...transfer, returned: true, routingNumber: '021000021' },
    livemode: false,
  },
  { method: 'crypto' },
  { method: 'crypto', crypto: { ...payment.crypto, chosen }, livemode: false },
  {
    method: 'crypto',
    confirming: { ...naira('₦2,000.00'), covers: false },
    due: naira('₦3,000.00'),
  },
  { method: 'crypto', confirming: { ...naira('₦5,000.00'), covers: true }, fee: naira('₦75.00') },
  ...ended.map((status) => ({ status })),
  ...ended.map((status) => ({
    status,
    received: naira('₦1.00'),
    livemode: false,
    returnUrl: 'https://a.example/',
  })),
  ...ended.map((status) => ({
    status,
    late: true,
    paidAt: '2026-03-01T12:00:00Z',
    surplus: naira('₦9.00'),
  })),
]
const collections: Partial<CollectionPage>[] = [
  {},
  { brand, description: 'A bus' },
  { min: naira('₦1.00'), max: naira('₦9.00'), livemode: false, description: 'A bus and lunch' },
  { amount: naira('₦5.00'), error: 'full' },
  { error: 'amount_too_small', min: naira('₦1.00'), values: { amount: '"5"', email: '' } },
  { error: 'invalid_email', values: { amount: '', email: '<a@b>' } },
  {
    error: 'amount_missing',
    readings: ['1,500.00', '1.50'],
    values: { amount: '1.500', email: '' },
  },
  { error: 'a_new_code' },
  { state: 'full' },
  { state: 'busy' },
  { state: 'ended' },
]
const kinds: MessageKind[] = ['not_found', 'too_many_tries', 'out_of_date', 'error']

const show = (more: Partial<PaymentPage>): string => paymentPage({ ...payment, ...more })
const pages = (['en', 'fr', 'ar'] as const).flatMap((language) => [
  ...payments.map((more) => show({ ...more, language })),
  ...collections.map((more) => collectionPage({ ...collection, ...more, language })),
  ...kinds.map((kind) =>
    messagePage({ language, kind, retry: kind === 'error' ? '/pay/abc' : null }),
  ),
])

/**
 * Fails unless every element that is opened is closed in its place, and every attribute is quoted
 * and named once.
 */
function wellFormed(page: string): void {
  const empty = new Set(['meta', 'input', 'img', 'link'])
  const open: string[] = []
  const text = page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '').replace('<!doctype html>', '')
  for (const [tag, end, name = '', attributes = ''] of text.matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*)>/g,
  )) {
    if (end) assert.equal(open.pop(), name, tag)
    else if (!empty.has(name) && !attributes.endsWith('/')) open.push(name)
    const names = [...attributes.replace(/="[^"]*"/g, ' ').matchAll(/[^\s/]+/g)].map(String)
    assert.ok(
      names.every((one) => /^[a-z][a-zA-Z0-9-]*$/.test(one)),
      tag,
    )
    assert.equal(new Set(names).size, names.length, tag)
  }
  assert.deepEqual(open, [])
}

describe('html', () => {
  it('escapes every value that is not HTML already', () => {
    assert.equal(
      String(html`<p title="${`"'`}">${'<b>&'}</p>`),
      '<p title="&quot;&#39;">&lt;b&gt;&amp;</p>',
    )
    assert.equal(
      String(html`${[html`<i>${'<'}</i>`, '>', 3]}${raw('<hr>')}`),
      '<i>&lt;</i>&gt;3<hr>',
    )
    assert.equal(String(html`${null}${undefined}${false}${0}`), '0')
    const forged = JSON.parse('{"text":"<b>"}')
    assert.ok(!String(html`${forged}`).includes('<b>'))
  })

  it('links only to pages', () => {
    assert.equal(webAddress('https://shop.example/a?b=1'), 'https://shop.example/a?b=1')
    for (const address of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'data:text/html,x',
      '/pay',
      '',
      null,
    ])
      assert.equal(webAddress(address), null)
  })
})

describe('every page of the checkout', () => {
  it('is well-formed, with one heading, one main, no identifier twice and nothing left unsaid', () => {
    for (const page of pages) {
      wellFormed(page)
      assert.equal(page.match(/<h1/g)?.length, 1)
      assert.equal(page.match(/<main/g)?.length, 1)
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((found) => found[1])
      assert.equal(new Set(ids).size, ids.length)
      for (const [, names = ''] of page.matchAll(
        / (?:for|aria-labelledby|aria-describedby)="([^"]*)"/g,
      ))
        for (const name of names.split(' ')) assert.ok(ids.includes(name), name)
      assert.doesNotMatch(page.replace(script, ''), /undefined|\[object|NaN|\bnull\b/)
    }
  })

  it('has one style and one script, the constants, and nothing inline or from elsewhere', () => {
    for (const page of pages) {
      const color = page.includes('help@ada.example')
        ? `<style>${brandStyle(brand.color)}</style>`
        : ''
      assert.ok(page.includes(`<style>${styles}</style>\n${color}`))
      const rest = page
        .replace(`<style>${styles}</style>\n${color}`, '')
        .replace(`<script>${script}</script>`, '')
        .replace(`<link rel="icon" href="${logo.path}">`, '')
        .replace(`<img class="logo" src="${logo.path}" width="64" height="32" alt="">`, '')
      assert.doesNotMatch(rest, /<style|<script|<link|<img|<iframe| style=| on[a-z]+=| src=/)
    }
    assert.doesNotMatch(styles, /<\/|url\(|@import/)
    assert.doesNotMatch(script, /<\/|<!--|innerHTML|\beval\b/)
  })

  it('is small', () => {
    for (const page of pages)
      assert.ok(Buffer.byteLength(page) < 60_000, String(Buffer.byteLength(page)))
  })

  it('has the token in every form, and every form posts below the path', () => {
    for (const page of pages)
      for (const [, action = '', content = ''] of page.matchAll(
        /<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g,
      )) {
        assert.match(
          action,
          /^\/(pay\/abc|collect\/xyz)\/(card|leave|challenge|transfer|crypto|simulate|start)$/,
        )
        assert.equal(
          content.match(/<input type="hidden" name="token" value="a-token">/g)?.length,
          1,
        )
      }
    for (const page of pages)
      assert.equal(page.match(/<form/g)?.length, page.match(/<form method="post"/g)?.length)
  })

  it('shows what anyone typed as text', () => {
    const evil = `"><img src=x onerror='alert(1)'></script>&`
    const everywhere: Partial<PaymentPage> = {
      business: evil,
      brand: {
        ...brand,
        email: evil,
        phone: evil,
        terms: `https://ada.example/${evil}`,
        legal: [evil, evil],
      },
      description: evil,
      reference: evil,
      token: evil,
      version: evil,
      path: evil,
      document: { href: evil, number: evil },
      lines: [
        { name: evil, quantity: 2, unit: evil, total: evil, tax: { rate: evil, inclusive: true } },
      ],
      billedTo: evil,
      taxes: { net: evil, rates: [{ rate: evil, net: evil, tax: evil }] },
      returnUrl: `https://shop.example/${evil}`,
      cancelUrl: `https://shop.example/${evil}`,
      transfer: {
        ...transfer,
        accountName: evil,
        bankName: evil,
        accountNumber: evil,
        routingNumber: evil,
      },
      crypto: {
        lowestFirst: true,
        rates: [evil],
        choices: [true, false].map((testnet) => ({
          id: evil,
          token: evil,
          network: evil,
          testnet,
        })),
        chosen: { ...chosen, address: evil, token: evil, rate: evil },
      },
      livemode: false,
    }
    const shown = [
      ...(['card', 'bank_transfer', 'crypto'] as const).map((method) =>
        show({ ...everywhere, method }),
      ),
      ...ended.map((status) => show({ ...everywhere, status })),
      collectionPage({
        ...collection,
        name: evil,
        business: evil,
        values: { amount: evil, email: evil },
      }),
    ]
    for (const page of shown) {
      wellFormed(page)
      assert.doesNotMatch(page.replace('<img class="logo"', ''), /<img|onerror='/)
      assert.equal(page.match(/<\/script>/g)?.length, 1)
    }
  })
})

describe('the looks of a business', () => {
  const page = show({ brand })

  it('are its logo, whom to ask, its terms and its numbers, and what a chat shows of the link', () => {
    for (const shown of [
      '<img class="logo" src="/logos/abc" width="64" height="32" alt=""><bdi>Ada Stores</bdi>',
      '<a href="mailto:help@ada.example"><bdi>help@ada.example</bdi></a> <a href="tel:+2348012345678">',
      '<bdi>12 Allen Avenue, Ikeja, NG</bdi> <bdi>RC 12345</bdi> <bdi>Tax ID 987</bdi>',
      '<a href="https://ada.example/terms" target="_blank" rel="noreferrer noopener">Terms</a>',
      '<meta property="og:title" content="Pay Ada Stores – ₦5,000.00">',
      '<meta property="og:image" content="https://pay.example/logos/abc">',
    ])
      assert.ok(page.includes(shown), shown)
    assert.doesNotMatch(show({}), /<img|mailto:|tel:|Questions|og:image/)
    assert.match(show({}), /og:title/)
    for (const terms of ['javascript:alert(1)', '/terms'])
      assert.doesNotMatch(show({ brand: { ...brand, terms } }), /Terms/)
  })

  it('say whom to ask wherever the page says that somebody must be asked, in each language', () => {
    const said = (page: string) =>
      /<span class="reach">(.*?)<\/span>/.exec(page.split('<footer>')[0] as string)?.[1]
    const asks: Partial<PaymentPage>[] = [
      card({ state: 'closed' }),
      { kept: naira('₦1.00') },
      { status: 'expired' },
      { status: 'expired', late: true },
      { status: 'completed', surplus: naira('₦1.00') },
      { status: 'canceled', received: naira('₦1.00') },
    ]
    for (const [language, before] of [
      ['en', 'Contact:'],
      ['fr', 'Contact\u00a0:'],
      ['ar', 'للتواصل:'],
    ] as const) {
      const shown = asks.map((more) => show({ ...more, language, brand }))
      for (const state of ['full', 'ended'] as const)
        shown.push(collectionPage({ ...collection, language, brand, state }))
      for (const page of shown) {
        assert.ok(
          said(page)?.startsWith(`${before} <a href="mailto:help@ada.example">`),
          said(page),
        )
        assert.match(said(page) ?? '', /<a href="tel:\+2348012345678"><bdi>/)
        assert.equal(page.match(/class="reach"/g)?.length, 1)
      }
      // Who gave none is named in the sentence.
      for (const more of asks) assert.equal(said(show({ ...more, language })), undefined)
      for (const more of asks) assert.match(show({ ...more, language }), /Ada Stores/)
    }
    // Where nobody has to be asked, the foot of the page is enough.
    for (const more of [{}, card({}), { status: 'completed' as const }])
      assert.equal(said(show({ ...more, brand })), undefined)
  })

  it('are read in any colour, in light and in dark', () => {
    const read = (color: string) => {
      const [light = '', dark = ''] = (brandStyle(color) ?? '').split(
        '@media (prefers-color-scheme:dark)',
      )
      return [light, dark].map((text) => {
        const value = (name: string) => new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(text)?.[1] ?? ''
        return {
          main: value('main'),
          over: value('main-over'),
          ink: value('on-main'),
          link: value('link'),
          pick: value('pick'),
        }
      })
    }
    const backs = [
      ['#ffffff', '#f4f5f8'],
      ['#191d24', '#232832'],
    ] as const
    for (const color of [
      '#ffffff',
      '#000000',
      '#ffcc00',
      '#7f7f7f',
      '#1c4fd6',
      '#00ff00',
      '#ff0000',
      '#191d24',
      '#757575',
      '#0a5c36',
    ])
      for (const [i, { main, over, ink, link, pick }] of read(color).entries()) {
        const [sheet, soft] = backs[i] as (typeof backs)[number]
        const pairs = [
          [ink, main],
          [ink, over],
          [link, sheet],
          [link, soft],
          [link, pick],
        ] as const
        for (const [one, other] of pairs)
          assert.ok(contrastOf(one, other) >= 4.5, `${color} ${one} ${other}`)
        assert.ok(contrastOf(main, sheet) >= 1.5, `${color}: ${main} on ${sheet}`)
      }
    assert.match(brandStyle('#ffcc00') ?? '', /^:root\{--main:#ffcc00;.*--on-main:#000000/)
    assert.equal(brandStyle(null), null)
  })
})

describe('the page of a payment', () => {
  it('refreshes itself without the script where it waits, and only there', () => {
    const refresh = /<noscript><meta http-equiv="refresh" content="(\d)"><\/noscript>/
    const seconds = (more: Partial<PaymentPage>) => show(more).match(refresh)?.[1]
    assert.equal(seconds(card({ state: 'processing' })), '2')
    assert.equal(seconds({ method: 'bank_transfer', transfer }), '5')
    assert.equal(seconds({ method: 'crypto', crypto: { ...payment.crypto, chosen } }), '5')
    for (const more of [
      {},
      card({}),
      { method: 'crypto' as const },
      { method: 'bank_transfer' as const },
      card({ state: 'challenge' }),
    ])
      assert.equal(seconds(more), undefined)
  })

  it('leads back to the shop once paid, unless there is something to read first', () => {
    const returnUrl = 'https://shop.example/?a=1&b=2'
    const shop = 'https://shop.example/?a=1&amp;b=2'
    const page = show({ status: 'completed', returnUrl })
    assert.ok(
      page.includes(`<noscript><meta http-equiv="refresh" content="5;url=${shop}"></noscript>`),
    )
    assert.ok(page.includes(` data-leave="${shop}"`))
    const others: Partial<PaymentPage>[] = [
      { status: 'completed', returnUrl, surplus: naira('₦1.00') },
      { status: 'completed', returnUrl: 'javascript:alert(1)' },
      { status: 'failed', returnUrl },
      { returnUrl },
    ]
    for (const more of others)
      assert.doesNotMatch(show(more), /http-equiv="refresh"|<main [^>]*data-leave/)
  })

  it('asks for news until it is completed: after another end, money may still come', () => {
    for (const status of ['pending', ...ended] as const)
      assert.equal(
        /<main [^>]*data-live="\/pay\/abc"/.test(show({ status })),
        status !== 'completed',
        status,
      )
    assert.match(
      show({ status: 'expired', late: true }),
      /data-say="Time is up\. Your money came after the time was up/,
    )
  })

  it('says how much time is left, unless that is more than a week', () => {
    const left = (secondsLeft: number) =>
      show({ secondsLeft }).match(/<p class="clock"[\s\S]*?<span>(.*?)<\/span>/)?.[1]
    const day = 86_400
    for (const [seconds, text] of [
      [0, 'Under a minute left'],
      [60, '1 minute left'],
      [3_599, '59 minutes left'],
      [3_600, '1 hour left'],
      [day - 1, '23 hours left'],
      [2 * day, '2 days left'],
      [7 * day, '7 days left'],
      [7 * day + 1, undefined],
      [365 * day, undefined],
    ] as const)
      assert.equal(left(seconds), text)
  })

  it('takes no more cards once it was tried too often, and leaves the other ways', () => {
    const page = show(card({ state: 'closed', failure: 'declined' }))
    assert.match(
      page,
      /tried with cards too often\. Choose another way to pay, or ask Ada Stores for a new payment\./,
    )
    assert.doesNotMatch(page, /<form|card-error/)
    assert.match(page, /\?method=bank_transfer/)
  })

  it('writes brands of cards as people do', () => {
    const shown = (brand: string | null) =>
      show({ status: 'completed', ...card({ brand, last4: '4242' }) }).match(
        /([\w ]+) ending in 4242/,
      )?.[1]
    assert.deepEqual(['visa', 'mastercard', 'verve', 'amex', 'card', 'Visa', null].map(shown), [
      'Visa',
      'Mastercard',
      'Verve',
      'American Express',
      'Card',
      'Visa',
      'Card',
    ])
  })

  it('offers six coins on networks, folds the others away, and has those for tests apart', () => {
    const one = (network: string, testnet = false) => ({
      id: `usdc.${network}`,
      token: 'USDC',
      network,
      testnet,
    })
    const parts = (choices: PaymentPage['crypto']['choices']) => {
      const page = show({ method: 'crypto', crypto: { ...payment.crypto, choices } })
      const seen = /<(details) |<p class="small">(Test networks)|<span>USDC on <bdi>([\w ]+)/g
      return [...page.matchAll(seen)].map((found) => found.slice(1).join(''))
    }
    const real = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => one(name))
    assert.deepEqual(parts(real.slice(0, 6)), ['A', 'B', 'C', 'D', 'E', 'F'])
    assert.deepEqual(parts(real), ['A', 'B', 'C', 'D', 'E', 'F', 'details', 'G'])
    assert.deepEqual(parts([one('Sepolia', true), ...real.slice(0, 2)]), [
      'A',
      'B',
      'Test networks',
      'Sepolia',
    ])
    assert.deepEqual(parts([...real, one('Sepolia', true)]).slice(6), [
      'details',
      'G',
      'Test networks',
      'Sepolia',
    ])
    assert.deepEqual(parts([one('Sepolia', true)]), ['Test networks', 'Sepolia'])
  })

  it('has a logo beside each coin and network, which says nothing itself, drawn once a page', () => {
    const ids = ['usdc.base', 'usdt.bsc', 'usdc.base-sepolia', 'usdc.anvil', 'usdc.constructor']
    const choices = ids.map((id) => ({ id, token: 'USDC', network: id, testnet: false }))
    const page = show({ method: 'crypto', crypto: { ...payment.crypto, choices, chosen } })
    const logos = [...page.matchAll(/<svg class="logo-of"[^>]*aria-hidden="true">.*?<\/svg>/g)]
    assert.equal(logos.length, 1 + ids.length - 1)
    const used = [...page.matchAll(/<use href="#([\w-]+)"/g)].map(([, id]) => id)
    const drawn = [...page.matchAll(/<symbol id="([\w-]+)"/g)].map(([, id]) => id)
    assert.deepEqual(drawn.toSorted(), [...new Set(used)].toSorted())
    assert.ok(drawn.includes('coin-usdt') && drawn.includes('net-other'))
  })

  it('opens a wallet by a link where real coins can arrive', () => {
    const of = (link: string | null) =>
      show({ method: 'crypto', crypto: { ...payment.crypto, chosen: { ...chosen, link } } })
    assert.match(
      of(chosen.link),
      /<a class="button" href="ethereum:0xabc@8453\/transfer\?address=0xdef&amp;uint256=12500000">Open in wallet/,
    )
    assert.doesNotMatch(of(null), /Open in wallet/)
  })

  it('ties an error to its field', () => {
    const page = show(card({ faults: ['expired'], expiry: '01/20' }))
    assert.match(
      page,
      /<input id="expiry" [^>]*value="01\/20"[^>]*aria-describedby="expiry-error" aria-invalid="true">/,
    )
    assert.match(page, /id="expiry-error" role="alert"/)
    assert.match(show(card({ failure: 'a_new_code' })), /id="card-error" role="alert"/)
    assert.match(show(card({ failure: 'declined' })), /<title>Error: /)
  })

  it('asks for what is neither received nor being confirmed, and for nothing where that is all', () => {
    const headline = (more: Partial<PaymentPage>): string => {
      const page = show(more)
      const [, label] = /<div class="top"><p>([^<]+)/.exec(page) as RegExpExecArray
      const [heading] = /<h1[\s\S]*?<\/h1>/.exec(page) as RegExpExecArray
      return `${label}: ${heading.replaceAll(/<span class="unseen">.*?<\/span>|<[^>]*>/g, '')}`
    }
    const seen = naira('₦2,000.00')
    assert.equal(headline({}), 'Amount to pay: ₦5,000.00')
    assert.equal(headline({ received: seen, due: naira('₦3,000.00') }), 'Still to pay: ₦3,000.00')
    assert.equal(
      headline({ confirming: { ...seen, covers: false }, due: naira('₦3,000.00') }),
      'Still to pay: ₦3,000.00',
    )
    assert.equal(
      headline({ confirming: { ...naira('₦5,000.00'), covers: true } }),
      'Being confirmed: ₦5,000.00',
    )
    // After a part that was received, too.
    const rest = {
      received: seen,
      due: naira('₦3,000.00'),
      confirming: { ...naira('₦3,000.00'), covers: true },
    }
    assert.equal(headline(rest), 'Being confirmed: ₦3,000.00')
  })

  it('marks the selected way to pay, and offers none while a card is being charged', () => {
    assert.match(show(card({})), /href="\/pay\/abc\?method=card" aria-current="true"/)
    assert.doesNotMatch(show({}), /<a [^>]*aria-current/)
    assert.doesNotMatch(show(card({ state: 'processing' })), /\?method=crypto/)
  })

  it('has the tools of test mode only in test mode, and wrong amounts only where the payer sends the money', () => {
    assert.doesNotMatch(show(card({})), /\/simulate|4242 4242/)
    const values = (more: Partial<PaymentPage>) =>
      [...show({ ...more, livemode: false }).matchAll(/name="outcome" value="(\w+)"/g)].map(
        (found) => found[1],
      )
    assert.deepEqual(values(card({})), ['completed', 'failed', 'expired'])
    for (const state of ['challenge', 'closed'] as const)
      assert.deepEqual(values(card({ state })), ['failed', 'expired'])
    assert.deepEqual(values(card({ state: 'processing' })), [])
    assert.doesNotMatch(show({ ...card({ state: 'processing' }), livemode: false }), /<aside/)
    assert.deepEqual(values({ method: 'bank_transfer', transfer }), [
      'completed',
      'underpaid',
      'overpaid',
      'expired',
    ])
    assert.deepEqual(values({ method: 'bank_transfer' }), ['expired'])
    assert.deepEqual(values({ status: 'completed' }), [])
  })
})
