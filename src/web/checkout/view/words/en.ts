/**
 * The checkout in English: what the words of every other language have the type of. Whatever a
 * function takes is text, or a count.
 */
import type { CardFault } from '../cards.ts'
import type { CardFailure, CollectionError, MessageKind, Method } from '../model.ts'

const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`

export const en = {
  /** BCP 47: by it amounts, dates and times are written. */
  locale: 'en-GB',
  dir: 'ltr' as 'ltr' | 'rtl',
  /** As who reads it calls it. */
  name: 'English',
  languages: 'Languages',

  poweredBy: 'Payments by Bursar',
  questions: 'Questions?',
  /** Before an address or a number, where a sentence has said to ask the business. */
  reach: 'Contact:',
  terms: 'Terms',
  testMode: 'Test mode',
  testModeMeans: 'no real money moves',
  titled: (title: string, business: string) => `${title} – ${business}`,
  /** The title of a page with an error is what a screen reader says first. */
  wrong: (title: string) => `Error: ${title}`,

  // The amount and what it is for.
  pay: (amount: string) => `Pay ${amount}`,
  payTo: (business: string) => `Pay ${business}`,
  amountToPay: 'Amount to pay',
  stillToPay: 'Still to pay',
  beingConfirmed: 'Being confirmed',
  price: 'Price',
  billedTo: 'Billed to',
  withoutTax: 'Without tax',
  taxOf: (rate: string, net: string) => `Tax of ${rate} on ${net}`,
  taxed: (rate: string, inclusive: boolean) =>
    inclusive ? `${rate} tax included` : `plus ${rate} tax`,
  fee: 'Fee for paying this way',
  total: 'Total',
  received: 'Received so far',
  reference: 'Reference',
  invoice: (number: string) => `Invoice ${number}`,
  invoicePdf: (number: string) => `Invoice ${number} (PDF)`,
  voided: (number: string) => `Invoice ${number} was voided`,
  dueOn: (day: string) => `due ${day}`,
  exchanged: (total: string, euro: string, dollars: string) => `${total} at ${euro} = ${dollars}`,
  taxId: (number: string) => `Tax ID ${number}`,
  showMore: 'Show more',
  showLess: 'Show less',
  items: (count: number) => many(count, 'item', 'items'),
  each: (quantity: number, unit: string) => `${quantity} × ${unit}`,
  cancel: 'Cancel and go back',
  partly: (received: string, price: string, due: string) =>
    `We have received ${received} of ${price}. Please pay the other ${due}.`,
  kept: (amount: string, business: string) =>
    `We received ${amount} that we could not send back to you, and that does not count here. Contact ${business} about it, and give the reference below.`,

  // Time left: what the script counts down (minutes and seconds in the last hour), and the words
  // where there is none.
  countdown: {
    days: '{} days left',
    hours: '{} hours left',
    hour: '1 hour left',
    minutes: '{} left',
  },
  left: (seconds: number) => {
    if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} days left`
    if (seconds >= 3_600) return `${many(Math.floor(seconds / 3_600), 'hour', 'hours')} left`
    return `${seconds >= 60 ? many(Math.floor(seconds / 60), 'minute', 'minutes') : 'Under a minute'} left`
  },
  oneMinuteLeft: 'One minute left to pay.',

  // Methods.
  waysToPay: 'Ways to pay',
  howToPay: 'How would you like to pay?',
  methods: { card: 'Card', bank_transfer: 'Bank transfer', crypto: 'Crypto' } satisfies Record<
    Method,
    string
  > as Record<Method, string>,
  methodHints: {
    card: 'Debit or credit card',
    bank_transfer: 'From your bank’s app or website',
    crypto: 'From your wallet',
  } satisfies Record<Method, string> as Record<Method, string>,
  copy: 'Copy',
  copied: 'Copied',
  updatesItself: 'This page updates by itself.',

  payerEmail: {
    title: 'Email',
    hint: 'Your receipt may be sent there.',
    known: (email: string) => `A receipt may be sent to ${email}.`,
    wrong: 'Check the email address. It should look like name@example.com.',
  },

  // Cards.
  card: {
    title: 'Pay by card',
    number: 'Card number',
    numberExample: '1234 1234 1234 1234',
    expiry: 'Expiry',
    expiryFormat: 'MM/YY',
    cvc: 'Security code',
    cvcExample: 'CVC',
    paying: 'Paying…',
    processing: 'Checking with your bank',
    processingMeans: 'This can take a moment. Please keep this page open and do not pay again.',
    ending: (brand: string, last4: string) => `${brand} ending in ${last4}`,
    usedCard: 'Card',
    brands: 'Cards taken here',
    secure: 'This connection is encrypted (https).',
    insecure: 'This connection is not encrypted. For tests only.',
    closed: (business: string) =>
      `This payment was tried with cards too often. Choose another way to pay, or ask ${business} for a new payment.`,
    challenge: 'Your bank asks you to confirm',
    challengeMeans: (amount: string, business: string) =>
      `Do you want to pay ${amount} to ${business}?`,
    approve: 'Yes, pay',
    reject: 'No, do not pay',
    again: 'Type it again: card details are not kept here.',
    faults: {
      number: 'A digit of this number is wrong. Compare it with your card.',
      number_length: 'This number has too few or too many digits. Compare it with your card.',
      expiry: 'Enter the month and the year of expiry, like 08/29.',
      expired: 'This card has expired. Check the date, or use another card.',
      cvc: 'Enter the 3 digits of the security code, often on the back of the card.',
      cvc_four: 'Enter the 4 digits of the security code on the front of the card.',
    } satisfies Record<CardFault, string> as Record<CardFault, string>,
    failures: {
      declined: 'Your bank declined this card. Try another card, or ask your bank.',
      insufficient_funds:
        'There is not enough money on this card. Try another card or another way to pay.',
      expired_card: 'This card has expired. Try another card.',
      incorrect_cvc: 'The security code is not right. Check it and try again.',
      processing_error: 'Your bank could not be reached. Try again in a moment.',
      challenge_failed:
        'The payment was not confirmed with your bank. Try again, or use another card.',
      not_completed: 'The payment was not finished. Please try again.',
      not_begun:
        'The payment page could not be opened. You have not been charged. Try again in a moment.',
      real_card:
        'This is a test page: it takes test cards only. Your card was not charged, and nothing of it was kept.',
    } satisfies Record<CardFailure, string> as Record<CardFailure, string>,
  },

  // Cards that are typed on a provider's page.
  leave: {
    title: 'Taking you to the secure payment page',
    means: (host: string) => `You pay on ${host}. Afterwards you come back here.`,
    go: 'Go to the payment page',
    stay: 'Go back',
    intro: 'You type your card on the page of our payment partner, and come back here afterwards.',
    starting: 'Getting the payment page ready',
    startingMeans: 'This can take a moment. You have not been charged.',
    openPage: 'Continue to the payment page',
    leaving: 'One moment…',
    away: 'Waiting for the bank',
    awayMeans:
      'If you have paid, there is nothing more to do: this page shows it as soon as the bank says so.',
    awayGo: 'If you have not paid yet, you can go on where you left off.',
    again: 'Try again on the payment page',
    confirmingMeans: 'Your bank is still at work. Please do not pay again.',
  },

  // Bank transfers.
  transfer: {
    title: 'Pay by bank transfer',
    intro:
      'We give you the details of a bank account. Send the money there from your bank’s app or website.',
    start: 'Show account details',
    starting: 'One moment…',
    send: (amount: string) => `Send exactly ${amount} to this account.`,
    amount: 'Amount',
    bank: 'Bank',
    accountNumber: 'Account number',
    accountName: 'Account name',
    routingNumber: 'Routing number',
    once: 'This account is for this payment only. Do not use it again.',
    waiting: 'Waiting for your transfer',
    opening: 'The bank is opening an account for your payment',
    unavailable:
      'The bank gives no account for this payment just now. Try again later, or pay another way.',
    sentBack: (amount: string) =>
      `A transfer of another amount came and was sent back by the bank. Please send exactly ${amount}.`,
    returned: (amount: string) =>
      `You sent a different amount, so it was sent back to you. Please send exactly ${amount}.`,
  },

  // Crypto.
  crypto: {
    title: 'Pay with crypto',
    intro: 'Choose the coin and the network you want to use.',
    lowestFirst: 'Networks with the lowest fees come first.',
    rate: (token: string, amount: string) => `1 ${token} = ${amount}`,
    until: (rate: string, time: string) => `${rate}. This rate holds until ${time}.`,
    more: 'More coins and networks',
    /** What stands before the name of the network. */
    coinOn: (token: string) => `${token} on`,
    testNetworks: 'Test networks, whose coins are worth nothing',
    send: (amount: string, token: string, network: string) =>
      `Send exactly ${amount} ${token} on ${network}.`,
    only: (token: string, network: string) =>
      `Send only ${token}, and only on ${network}. Anything else may be lost for good.`,
    amount: 'Amount',
    network: 'Network',
    address: 'Address',
    qr: 'QR code of the address',
    scan: 'Scan the address with your wallet, and type the amount',
    open: 'Open in wallet',
    openMeans:
      'Your wallet fills in the coin, the network and the amount. Check them before you send. If nothing opens, copy the address.',
    waiting: 'Waiting for your payment',
    seen: (amount: string) => `We have seen your payment of ${amount}.`,
    confirming: 'The network is confirming it now, which takes from seconds to some minutes.',
    nothingToDo: 'There is nothing more for you to do, and you may close this page.',
    restLater: (rest: string) => `The other ${rest} can be paid here.`,
    confirmingNow: 'Waiting for confirmations',
    other: 'Use another coin or network',
    starting: 'One moment…',
  },

  // The end.
  done: {
    completed: 'Payment complete',
    completedMeans: (amount: string, business: string) =>
      `You paid ${amount} to ${business}. Thank you!`,
    failed: 'Payment failed',
    failedMeans: (business: string) =>
      `This payment did not go through. Go back to ${business} to try again.`,
    expired: 'Time is up',
    expiredMeans: (business: string) =>
      `Please do not send money to an account or address that was shown here. Ask ${business} for a new payment.`,
    canceled: 'Payment canceled',
    canceledMeans: (business: string) =>
      `This payment was canceled. Nothing more can be paid here to ${business}.`,
    amount: 'Amount',
    received: 'Received',
    surplus: 'Paid too much',
    date: 'Date',
    paidBy: 'Paid by',
    surplusMeans: (surplus: string, business: string) =>
      `You sent ${surplus} more than was due. Contact ${business} to get it back, and give the reference above.`,
    keptMeans: (received: string, business: string) =>
      `We did receive ${received} from you. Contact ${business} about it, and give the reference above.`,
    lateMeans: (business: string) =>
      `Your money came after the time was up. Contact ${business} about it, and give the reference above.`,
    returnTo: (business: string) => `Return to ${business}`,
    takenBack: 'You will be taken back in 5 seconds.',
    close: 'You can close this page now.',
  },

  // Test mode.
  test: {
    title: 'Test mode',
    cards: 'Test cards. Any future expiry date and any security code will do.',
    use: 'Use',
    useThe: (number: string) => `Use test card ${number}`,
    numbers: [
      { number: '4242 4242 4242 4242', means: 'Succeeds' },
      { number: '4000 0000 0000 0002', means: 'Is declined' },
      { number: '4000 0027 6000 3184', means: 'Asks you to confirm' },
      { number: '4000 0000 0000 0259', means: 'Answers late' },
    ],
    simulate: 'Make something happen to this payment:',
    outcomes: {
      completed: 'Pay in full',
      underpaid: 'Pay too little',
      overpaid: 'Pay too much',
      failed: 'Fail',
      expired: 'Run out of time',
    },
  },

  // What a screen reader says when the page has changed by itself.
  said: {
    pending: 'The payment page has changed.',
    received: (received: string, due: string) =>
      `We have received ${received}. Still to pay: ${due}.`,
    form: 'Your card was not charged. Please check the page.',
  },

  collection: {
    amount: 'Amount',
    amountToPay: 'Amount to pay',
    amountIn: (currency: string) => `Amount in ${currency}`,
    between: (min: string, max: string) => `From ${min} to ${max}`,
    atLeast: (min: string) => `At least ${min}`,
    atMost: (max: string) => `At most ${max}`,
    email: 'Email',
    optional: 'optional',
    emailHint: (business: string) => `So that ${business} can tell who paid.`,
    proceed: 'Continue',
    proceeding: 'One moment…',
    full: 'This is fully paid',
    fullMeans: (business: string) =>
      `Everything that was asked for here has been paid. Contact ${business} if you still want to pay.`,
    busy: 'Someone is paying right now',
    busyMeans:
      'Nobody else can pay until they have finished. You have not been charged. Please try again in a few minutes.',
    again: 'Try again',
    ended: 'This has ended',
    endedMeans: (business: string) =>
      `Payments are no longer taken here. Contact ${business} if you still want to pay.`,
    twofold: (large: string, small: string) =>
      `This can be read as ${large} or as ${small}. Enter it with two decimals, and without a sign between the thousands.`,
    errors: {
      amount_missing: 'Enter the amount you want to pay, like 5000 or 49.50.',
      amount_too_small: 'This amount is too small. Enter a larger one.',
      amount_too_large: 'This amount is too large. Enter a smaller one.',
      invalid_email: 'Check the email address. It should look like name@example.com.',
      full: 'This has just been fully paid, so nothing more can be paid here.',
    } satisfies Record<CollectionError, string> as Record<CollectionError, string>,
    error: 'Something is not right. Please check what you entered.',
  },

  messages: {
    not_found: {
      title: 'We can’t find this page',
      text: 'Check that the link is complete. If it still does not work, ask the business that sent it for a new one.',
    },
    too_many_tries: {
      title: 'Too many attempts',
      text: 'Please wait a few minutes, and then try again. Nothing was charged by this try.',
    },
    out_of_date: {
      title: 'This page was out of date',
      text: 'Something had changed since you opened it, so nothing was done. Please go back and try again.',
    },
    error: {
      title: 'Something went wrong',
      text: 'It is our fault, not yours. Before you pay again, open the payment page and see whether it went through.',
    },
  } satisfies Record<MessageKind, { title: string; text: string }> as Record<
    MessageKind,
    { title: string; text: string }
  >,
  /** Mailed when a payment is completed, and when some of it has gone back. */
  receipt: {
    hello: 'Hello,',
    paid: {
      subject: (business: string, amount: string) => `Your payment to ${business}: ${amount}`,
      means: (business: string, amount: string) =>
        `${business} has received your payment of ${amount}. Thank you.`,
      by: (method: string) => `Paid by: ${method}`,
    },
    refunded: {
      subject: (business: string, amount: string) => `Your refund from ${business}: ${amount}`,
      means: (business: string, amount: string) =>
        `${business} has refunded ${amount} of your payment.`,
      by: (method: string) => `Refunded by: ${method}`,
    },
    bankMayTake: 'Your bank may take a few days to show it.',
    what: (description: string) => `For: ${description}`,
    /** A line, a tax or a sum. */
    line: (what: string, amount: string) => `${what}: ${amount}`,
    date: (at: string) => `Date: ${at}`,
    reference: (reference: string) => `Reference: ${reference}`,
    see: 'See the payment here:',
    attached: 'Your receipt is attached as a PDF.',
    notAttached: 'The PDF of your receipt could not be made, so it is not attached.',
    title: 'Receipt',
    sum: 'Paid',
    about: 'For',
    refundedSoFar: 'Refunded',
    link: 'Receipt (PDF)',
    page: (page: string, pages: string) => `Page ${page} of ${pages}`,
    /** Between two addresses. */
    or: 'or',
    terms: 'Terms:',
    test: '(Test mode: no real money moved, and this is not sent.)',
  },
  retry: 'Open the page again',
}

export type Strings = typeof en
