/**
 * The words of the page of the business.
 */
export const profileWords = {
  title: 'Business',
  about: {
    test: 'What payers see on hosted pages, invoices and mails of test mode. Live mode has a profile of its own.',
    live: 'What payers see on hosted pages, invoices and mails. Test mode has a profile of its own.',
  },
  save: 'Save',
  saved:
    'It is saved. Pages, mails and new invoices show it from now on; finalized invoices keep who the seller was.',
  preview: 'As payers see it',
  pay: 'Pay',
  logoOf: (name: string) => `Logo of ${name}`,
  buttonOf: (color: string) => `A button in ${color}`,
  logo: 'Logo',
  logoHint: 'A PNG, JPEG or WebP picture of at most 256 KiB, each side 32 to 1,024 pixels.',
  logoTooLarge: 'logo must be a picture of at most 256 KiB',
  withoutLogo: 'Take the logo away',
  groups: {
    known: 'How it is known',
    reached: 'How payers reach it',
    seller: 'The seller on invoices',
    shown: 'How things are shown and mailed',
  },
  fields: {
    name: ['Name'],
    color: ['Colour', 'Of buttons and links. Where it cannot be read, a shade of it is shown.'],
    statement_name: [
      'Name on bank statements',
      'Where the bank lets it be chosen: 2 to 22 letters, digits, spaces and . & -',
    ],
    support_email: ['Support e-mail', 'Mails to payers are answered to it.'],
    support_phone: [
      'Support phone',
      'As it is dialled in your country, or with + and the country’s code.',
    ],
    terms_url: ['Terms of business', 'A link that begins with https.'],
    'address.line1': ['Street and number'],
    'address.city': ['City'],
    'address.state': ['State or region'],
    'address.postal_code': ['Postal code'],
    'address.country': ['Country'],
    tax_id: ['Tax number'],
    registration_number: ['Registration number', 'Such as RC 1234567.'],
    locale: [
      'Language and region',
      'How this dashboard writes amounts and times, and reads amounts. Files stay the same.',
    ],
    time_zone: ['Time zone', 'Where the days of lists and statements begin.'],
    receipts: ['Mail receipts to payers who gave an address'],
  } as Record<string, readonly [label: string, hint?: string]>,
} as const
