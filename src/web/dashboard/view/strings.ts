/**
 * The words of the dashboard that more than one page uses. What belongs to one resource stands in
 * its declaration.
 */

/** So many of something, in words for one and for more. */
export const many = (count: string, one: string, more: string): string =>
  `${count} ${count === '1' ? one : more}`

export const en = {
  product: 'Bursar',
  skip: 'Skip to the content',
  search: { label: 'Search everything', hint: 'Search: / or Ctrl K' },
  menu: 'Menu',
  bulk: {
    title: 'With the selected:',
    all: 'Select all',
    choose: (called: string) => `Select ${called}`,
    none: 'Select at least one in the list.',
    stay: (counted: string) =>
      `Not possible now for ${counted} of your selection: no change there.`,
    each: 'Each is changed on its own. If one is refused, the others are still changed.',
    done: (counted: string) => `Done for ${counted}.`,
    refused: 'These were refused and stay as they are:',
    back: 'Back to the list',
  },
  closeMenu: 'Close the menu',
  operator: { word: 'Operator', means: 'all businesses of this server', name: 'This installation' },
  stopped: ({ status, reason }: { status: string; reason: string | null }): string =>
    `${status === 'closed' ? 'This business is closed' : 'The operator of this server has suspended this business'}${reason === null ? '' : `: ${reason}`}${reason?.endsWith('.') ? '' : '.'} Everything can still be seen, but nothing new is collected or paid out.`,
  toHome: 'Go to the home page',
  modes: {
    test: { word: 'Test', means: 'no real money moves here', other: 'Switch to live' },
    live: { word: 'Live', means: 'this is real money', other: 'Switch to test' },
  },
  otherBusinesses: 'Other businesses',
  account: 'Your account',
  accountMenu: 'Account, mode and businesses:',
  operatorPages: 'Operator pages',
  signIn: 'Sign in',
  signOut: 'Sign out',
  groups: {
    in: 'Money in',
    out: 'Money out',
    sell: 'Selling',
    books: 'Books',
    developers: 'Developers',
    settings: 'Settings',
  },
  /** A form that cannot work on this server as it is set up. */
  unready: {
    title: 'This does not work on this server yet.',
    todo: 'The operator of this server can set it up:',
    docs: 'what to do',
  },
  goingLive: {
    title: 'Going live',
    means: (done: string, all: string) =>
      `${done} of ${all} steps are done. Live mode takes no money before a provider or a network is connected.`,
    notYet: 'Live mode takes no money yet.',
    see: 'See what it needs',
    done: 'Done',
    todo: 'To do',
    missing: 'Not connected',
    unseen: 'Not seen from here',
    docs: 'How to',
    or: 'or',
    byOperator: 'The operator of this server does this.',
    key: {
      title: 'Keep the encryption key safe',
      ofFile:
        'Secrets are encrypted with secrets.key in DATA_DIR. Keep a copy of it apart from the backups.',
      ofSetting:
        'Secrets are encrypted with SECRETS_KEY. Keep a copy of it apart from the backups.',
    },
    address: {
      title: 'A public address with https',
      means: 'Put a proxy with TLS before the server, and set BASE_URL to its https address.',
      is: (url: string) => `Payers and providers reach the server at ${url}.`,
    },
    mail: {
      title: 'Mail',
      means: 'Set SMTP_URL and MAIL_FROM: invoices, receipts and notices are mailed by it.',
      from: (address: string) =>
        `MAIL_FROM is ${address}, which most receivers refuse: set it to an address of yours.`,
    },
    rails: {
      title: 'Connect a provider or a network',
      means:
        'Name your account at a provider in RAILS_FILE, and route each currency to it. A network for stablecoins is named in EVM_FILE. One way for money in is enough to begin.',
      collect: {
        ngn: 'Take payments in naira',
        usd: 'Take payments in dollars',
        crypto: 'Take stablecoins',
      },
      pay: { ngn: 'Pay out naira', usd: 'Pay out dollars', crypto: 'Pay out stablecoins' },
      providers: {
        paystack: 'Paystack (secret key)',
        monnify: 'Monnify (API key, secret key, contract code)',
        stripe: 'Stripe (secret key)',
        bridge: 'Bridge (API key, customer, wallet)',
        stablecoins: 'an RPC address of the network and a wallet',
      },
    },
    webhooks: {
      title: 'Webhooks of the provider',
      means:
        'Enter the address that `bursar rails status` prints at the provider. This is done once each account has sent one.',
    },
    backups: {
      title: 'Backups',
      means: 'Run `bursar backup` every day, and try a restore every month.',
      own: 'Your PostgreSQL is backed up by you: see that a restore works.',
    },
    profile: {
      title: 'Your profile',
      means: 'Payers see your name, your address and how to reach you, also on receipts.',
      page: 'Edit profile',
    },
    people: {
      title: 'A second factor for everyone',
      means: 'Everyone on the team signs in with a passkey or a code.',
      without: (count: string) =>
        count === '1'
          ? '1 person on the team has no second factor yet.'
          : `${count} people on the team have no second factor yet.`,
      page: 'See team',
    },
    keys: {
      title: 'A live key',
      means: 'Your system calls the API with a key of live mode, with the scopes that it needs.',
      page: 'See keys',
    },
    endpoint: {
      title: 'A webhook endpoint',
      means: 'Your system receives events about payments and payouts at an endpoint of live mode.',
      page: 'See webhook endpoints',
    },
  },
  home: 'Home',
  noEnd: 'No end',
  balances: 'Balances',
  figures: {
    title: 'Overview',
    period: 'Period of the figures',
    means: (period: string) =>
      `Figures are compared with the ${period} before, up to the same time of day. Success rate: of those that payers began in the period and that have ended.`,
  },
  moved: {
    title: (currency: string) => `${currency}: money in and out`,
    means: (period: string, zone: string) =>
      `The last ${period} in ${zone}. Money in is after fees; money out includes fees. Each is shown on the day it was created.`,
    came: 'Came in',
    went: 'Went out',
    net: 'Difference',
    day: 'Day',
    week: 'Week from',
    table: 'As a table',
    nothing: (period: string) => `Nothing has come or gone in the last ${period}.`,
    picture: (currency: string, came: string, went: string) =>
      `${currency} by day: ${came} came in and ${went} went out in all.`,
    ofDay: (day: string, came: string, went: string) => `${day}: ${came} came in, ${went} went out`,
    begin:
      'Money comes in by a payment, an invoice or a collection, and by a deposit to a virtual account.',
  },
  needs: {
    title: 'Needs attention',
    nothing: 'Nothing needs your attention.',
    all: 'All of them',
    orMore: (count: string) => `${count} or more`,
    age: (days: number, shown: string) => (days === 1 ? '1 day ago' : `${shown} days ago`),
    deal: 'Mark as dealt with',
    dealt: 'Marked as dealt with. The audit log says who did it.',
    unapproved: 'Nobody approved it in time, so it was canceled. Its money is available again.',
    disputes: 'Disputes to answer',
    waiting: 'Payouts waiting for approval',
    until: (time: string) => `Canceled ${time} unless a person approves it.`,
    failed: 'Payouts that failed, were returned or were not approved in time',
    refunds: 'Failed refunds',
    held: 'Payouts wait: nothing is sent out of this server just now',
    heldMeans:
      'The operator of this server has stopped it, or has yet to say that it may go on. No money is lost.',
    endpoints: 'Webhook endpoints with failed deliveries',
    endpoint: (count: string) =>
      many(count, 'event was not delivered', 'events were not delivered'),
    endpointMore: (count: string) => `${count} events or more were not delivered`,
    incidents: 'Differences with a provider',
    incident: (kind: string, rail: string) =>
      `${kind}, at ${rail}. The server operator has been notified.`,
    varied: 'Payments paid too little, too much or too late',
    variances: {
      underpaid: (got: string, due: string) => `${got} paid of ${due}`,
      overpaid: (got: string, due: string) => `${got} paid instead of ${due}`,
      late: (got: string) => `${got} paid after it had expired`,
    } as Record<string, (got: string, due: string) => string>,
    documents: 'Identity documents that could not be verified',
    standing: 'Standing payouts that need attention',
  },
  left: {
    days: (days: number) => `${many(String(days), 'day', 'days')} left`,
    hours: (hours: number) => `${many(String(hours), 'hour', 'hours')} left`,
    minutes: (minutes: number) => `${many(String(minutes), 'minute', 'minutes')} left`,
    over: 'the deadline has passed',
  },
  evidenceDue: 'Evidence is due by',
  evidence: {
    list: 'Disputes',
    title: 'Evidence',
    about: 'Nothing is sent until you submit it.',
    fields: {
      explanation: 'What was sold and delivered, and why the payment is rightful',
      customer_name: 'Customer’s name',
      customer_email: 'Customer’s email address',
      customer_phone: 'Customer’s phone number',
      delivery_address: 'Delivered to',
      delivery_date: 'Delivered on',
    },
    needed: 'The provider needs this.',
    filesTitle: 'Files',
    filesAbout: 'PDF, PNG or JPEG, at most 1 MiB each. They are encrypted on this server.',
    files: {
      receipt: 'Receipt or invoice',
      delivery: 'Proof of delivery',
      communication: 'Messages with the customer',
      other: 'Other file',
    },
    saved: (type: string, size: string) => `Saved: ${type}, ${size} KiB. Another file replaces it.`,
    remove: 'Remove the saved file',
    tooLarge: 'The file is larger than 1 MiB: choose a smaller one.',
    save: 'Save evidence',
    savedNotice: 'The evidence is saved. It is not submitted yet.',
    answer: 'Your answer',
    add: 'Add evidence',
    change: 'Change evidence',
    bundle: 'Download evidence bundle (PDF)',
    needs: (texts: string) => `Still needed: ${texts}.`,
    ready: 'Everything that the provider needs is there. You can submit the evidence.',
    oneAnswer: 'The provider takes one answer: submit evidence, or accept the dispute.',
    elsewhere:
      'This server cannot answer this dispute at the provider. Save your evidence, download the bundle, and send it to the operator of this server. The operator submits it in the provider’s dashboard before the deadline.',
    sending: 'The answer is being sent to the provider.',
    sent: (time: string) => `Evidence submitted ${time}. The payer’s bank decides now.`,
    accepted: (time: string) => `You accepted the dispute ${time}.`,
    refused: (why: string) =>
      `The provider refused the answer. ${why} Correct it and submit again.`,
    noAnswer: 'The dispute was decided without an answer from here.',
  },
  canceledByHand: 'A person on your team canceled or refused it. Its money is available again.',
  reports: 'Reports',
  standing: (amount: string, time: string) => `Standing payout: ${amount} at ${time}`,
  pending: {
    leaving: (amount: string) => `${amount} on hold for payouts and refunds`,
    disputed: (amount: string) => `${amount} on hold for disputes`,
    held: (amount: string) => `${amount} received, held for review`,
    arriving: (amount: string) => `${amount} arriving: not confirmed yet`,
  },
  businesses: 'Your businesses',
  noBusiness: 'You are in the team of no business yet. Ask an owner of one to invite you.',

  messages: {
    not_found: {
      title: 'There is nothing here',
      text: 'The link may be of another business or mode, or what it was about is gone.',
    },
    not_allowed: {
      title: 'Your role does not let you do this',
      text: 'Ask an owner or an admin of the business.',
    },
    barred: {
      title: 'This business asks for a second factor',
      text: 'Set one up in your account, then come back.',
    },
    factor_first: {
      title: 'The operator’s pages need a second factor',
      text: 'Set one up in your account: a passkey or an authenticator app. Then come back.',
    },
    confirm: {
      title: 'Confirm that it is you',
      text: 'Sign in again with your second factor, then repeat what you did.',
    },
    refused: { title: 'Not possible', text: 'Nothing was changed.' },
    out_of_date: {
      title: 'This page was out of date',
      text: 'Nothing was done. Go back, load the page again, and repeat what you did.',
    },
    too_many: { title: 'Too many pages at once', text: 'Wait a minute, and try again.' },
    unavailable: {
      title: 'The database cannot be reached just now',
      text: 'Try again in a moment. What you sent may have been done: look before you send it again.',
    },
    error: {
      title: 'Something went wrong',
      text: 'It is our fault, not yours. Look whether it was done before you repeat it.',
    },
  },

  tooLarge:
    'What was sent is larger than this page takes. A file may have 2 MiB at most. Nothing was changed: go back to your form.',
  fileTooLarge: 'The file has more than 2 MiB. Divide it into several.',
  csv: 'CSV',
  csvForExcel: 'CSV for Excel',
  wrong: (title: string) => `Error: ${title}`,
  required: 'Fill this in.',
  addTestMoney: 'Add test money',
  tooMuch: (wallet: string, available: string) =>
    `Your ${wallet} wallet has ${available} available. Type that or less, or add money first.`,
  notPhone:
    'Type a phone number as it is dialled in your country, or with + and the country’s code.',
  noCountry: 'Choose a country',
  notNumber: 'Type a whole number.',
  notPercent: 'Type a number such as 7.5, with at most two decimal places.',
  all: 'All',
  tabs: {
    active: { true: 'Active', false: 'Inactive' },
    failed: { true: 'Refused', false: 'Answered' },
  },
  deleted: 'Deleted customer',
  optional: 'optional',
  cancel: 'Cancel',
  undo: 'Undo',
  closeMessage: 'Close this message',
  back: 'Back',
  review: 'Continue',
  change: 'Change it',
  dont: 'Go back',
  moreRows: 'Add rows',
  workOut: 'Work out the total',
  noTotal: 'The total, with discounts and taxes, is shown here.',
  mend: 'Please fix the fields marked below.',
  revealed: {
    once: 'It is shown only once. Copy it now, and keep it secret.',
    before:
      'This was done, and its secret was shown then. It cannot be shown again: roll it where you did not keep it.',
    goOn: 'I have kept it',
  },
  looked: {
    once: 'Keep it nowhere. You can look again, which is written down too.',
    before: 'It was shown then. You can look again, which is written down too.',
    goOn: 'I have looked',
  },
  copy: 'Copy',
  copied: 'Copied',
  none: '–',
  yes: 'Yes',
  no: 'No',
  any: 'Any',
  card: 'Card',
  see: (one: string) => `See the ${one}`,

  filters: {
    from: 'From',
    to: 'To, that day included',
    completed_from: 'Completed from',
    completed_to: 'Completed up to, that day included',
    email: 'Email address',
    customer: 'Customer’s id',
    payment: 'Payment’s id',
    beneficiary: 'Beneficiary’s id',
    own: 'Accounts of our own',
    active: 'Status',
    actor: 'Who',
    reference: 'Reference begins with',
    method: 'Method',
    search: 'Search',
    approval: 'Approval by a second person',
  },
  list: {
    search: 'Search',
    filters: 'Filters',
    apply: 'Apply',
    clear: 'Clear all',
    export: 'Export CSV',
    exportForExcel: 'Export for Excel',
    exportByTaxRate: 'Export by tax rate',
    empty: (more: string) => `No ${more} yet`,
    emptyFiltered: 'Nothing matches these filters.',
    total: (count: string, one: string, more: string) => many(count, one, more),
    totalAtLeast: (count: string, more: string) => `${count} or more ${more}`,
    previous: 'Previous',
    next: 'Next',
    page: (page: string, pages: string) => `Page ${page} of ${pages}`,
    pages: 'Pages',
    open: 'Open',
    seeAll: (more: string) => `All ${more}`,
  },
  views: {
    title: 'Saved views',
    save: 'Save this view',
    change: 'Change views',
    name: 'Name of the view',
    filters: 'It shows:',
    rename: 'Rename',
    delete: 'Delete',
    deleteOf: (name: string) => `Delete ${name}`,
    none: 'You have saved none. Filter or search the list, then save it as a view: you alone see it.',
  },
  detail: {
    details: 'Details',
    timeline: 'What happened',
    related: 'Belongs to',
    metadata: 'Metadata',
    acts: {
      created: 'Created by',
      canceled: 'Canceled by',
      voided: 'Voided by',
      dealt_with: 'Dealt with by',
    } as Record<string, string>,
    created: 'Created',
    updated: 'Last change',
    id: 'Id',
    more: 'More',
    kinds: {
      state: 'Status',
      posting: 'Ledger',
      event: 'Event',
      delivery: 'Webhook',
      request: 'Request',
      change: 'Change',
      provider: 'Provider',
      waiting: 'To come',
    } as Record<string, string>,
    tryOut: 'Try it out',
    tryOutMeans: 'In test mode you choose what happens next.',
  },
  confirm: {
    title: 'Check before you confirm',
    happens: 'What will happen',
    test: 'This is test mode: no real money moves.',
  },
} as const

/**
 * A status, a method or another code as people read it: `bank_transfer` becomes `Bank transfer`.
 */
export function wordOf(code: string): string {
  const text = codes[code] ?? code.replaceAll(/[_.-]/g, ' ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

const codes: Record<string, string> = {
  ngn: 'NGN',
  usd: 'USD',
  eur: 'EUR',
  usdc: 'USDC',
  usdt: 'USDT',
  bvn: 'BVN',
  nin: 'NIN',
  url: 'URL',
  bsc: 'BNB Smart Chain',
  'ethereum-sepolia': 'Ethereum Sepolia',
  'base-sepolia': 'Base Sepolia',
}
