/** What the groups of operations are about, for the OpenAPI document. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Meta: 'The server about itself. Needs no key.',
  Wallets: 'What the business holds, a wallet for each currency.',
  Business: 'The business that a key speaks for.',
  'Virtual accounts': 'Bank accounts that money can be sent to: for a customer, or for one amount.',
  Payments: 'One-time checkouts: by card, bank transfer or stablecoin, on a hosted page.',
  Collections: 'Checkout links that many payers use.',
  Refunds: 'Money that goes back to a payer.',
  Products: 'What is sold by invoice.',
  Distributions: 'Plans that share what products sell for.',
  Invoices: 'Requests for payment, with lines, PDFs and reminders.',
  Payouts: 'Money that leaves a wallet: to a bank account, or to an address on a blockchain.',
  Customers: 'Who pays, and the identity documents that prove it.',
  Transactions: 'Every movement of a wallet, as the ledger has it.',
  Statements: 'What a month brought to the wallets: opening, in, out, fees and closing.',
  Crypto: 'Stablecoins, and addresses that receive them.',
  Lookups: 'Banks, and who holds an account.',
  Webhooks: 'Endpoints of yours that events are sent to, and what became of each delivery.',
  Events: 'What happened, whether it was delivered or not.',
  'Webhook events':
    'What is sent to your endpoints. `X-Signature` is `sha256=<hex>`, the HMAC-SHA256 of the exact bytes of the body by your endpoint’s secret; `X-Signature-Previous` is that by the secret before, for 24 hours after it was rolled. `webhook-signature` is that of Standard Webhooks: `v1,<base64>` over `id.timestamp.body`, two with a space between while a secret is rolled. `X-Event-Id` and `webhook-id` are the same for each try; `X-Delivery-Attempt` counts them from 1; `X-Event-Sample` is `true` on what tries an endpoint out; `webhook-timestamp` is when this one was sent, in seconds since 1970.',
  Test: 'The clock of test mode.',
}
