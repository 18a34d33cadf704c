/**
 * The words of the page of the business.
 */
export const profileWords = {
  title: 'Business',
  about: {
    test: 'What payers see in test mode on hosted pages, invoices and emails. Live mode has its own profile.',
    live: 'What payers see on hosted pages, invoices and emails. Test mode has its own profile.',
  },
  save: 'Save',
  saved:
    'Saved. Pages, emails and new invoices show it from now on. Finalized invoices keep the earlier seller details.',
  preview: 'As payers see it',
  pay: 'Pay',
  logoOf: (name: string) => `Logo of ${name}`,
  buttonOf: (color: string) => `A button in ${color}`,
  logo: 'Logo',
  logoHint: 'A PNG, JPEG or WebP picture of at most 256 KiB, each side 32 to 1,024 pixels.',
  logoTooLarge: 'logo must be a picture of at most 256 KiB',
  withoutLogo: 'Remove the logo',
  groups: {
    known: 'Name and brand',
    reached: 'Support for payers',
    seller: 'The seller on invoices',
    shown: 'Language, time zone and receipts',
  },
  fields: {
    name: ['Name'],
    color: ['Colour', 'For buttons and links. If it is hard to read, a darker shade is used.'],
    statement_name: [
      'Name on bank statements',
      'Where the bank allows it: 2 to 22 letters, digits, spaces and . & -',
    ],
    support_email: ['Support email', 'Payers reply to this address.'],
    support_phone: ['Support phone', 'As dialled in your country, or with + and the country code.'],
    terms_url: ['Terms of business', 'A link that starts with https.'],
    'address.line1': ['Street and number'],
    'address.city': ['City'],
    'address.state': ['State or region'],
    'address.postal_code': ['Postal code'],
    'address.country': ['Country'],
    tax_id: ['Tax number'],
    registration_number: ['Registration number', 'Such as RC 1234567.'],
    locale: [
      'Language and region',
      'How this dashboard shows amounts and times, and reads amounts. Exported files do not change.',
    ],
    time_zone: ['Time zone', 'Sets when days begin in lists and statements.'],
    receipts: ['Email receipts to payers who gave an address'],
  } as Record<string, readonly [label: string, hint?: string]>,
} as const
