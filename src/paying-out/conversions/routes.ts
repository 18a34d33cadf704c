import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import {
  changeExchangeLimits,
  convert,
  decideRate,
  exchangeOf,
  get,
  list,
  quote,
} from './conversions.ts'
import { conversionRefusals } from './refusals.ts'
import * as s from './schema.ts'

const route = routesOf('Conversions', conversionRefusals)

export const conversionRoutes = named({
  quoteConversion: route.post('/conversions/quote', {
    scope: 'payout',
    summary: 'Quote a conversion',
    description: 'What it would cost and give, held for five minutes. Nothing moves.',
    status: 201,
    example: { amount: 155_000_000, currency: 'ngn', destination_currency: 'usd' },
    schema: { body: s.ConversionQuoteIn, data: s.ConversionQuoteRecord },
    refuses: ['same_currency', 'rate_unavailable', 'conversion_too_small', 'amount_too_large'],
    message: 'Conversion quoted',
    run: (work, { body }) => quote(work, body),
  }),
  createConversion: route.post('/conversions', {
    scope: 'payout',
    summary: 'Convert money',
    description:
      'From one of your wallets into the other, at once, at the rate and fee of a quote. A quote makes one conversion.',
    status: 201,
    example: { quote: '6925f3a1c0ffee00c0ffee01', reference: 'conversion-0001' },
    schema: { body: s.ConversionIn, data: s.ConversionRecord },
    refuses: [
      'quote_not_found',
      'quote_used',
      'quote_expired',
      'duplicate_reference',
      'insufficient_funds',
      'amount_too_large',
      'exchange_limit_exceeded',
    ],
    message: 'Money converted',
    run: (work, { body }) => convert(work, body),
  }),
  listConversions: route.get('/conversions', {
    scope: 'read',
    summary: 'List conversions',
    description: 'Newest first.',
    schema: { query: s.ConversionQuery, data: Page(s.ConversionRecord) },
    message: 'Conversions',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportConversions: route.get(
    '/conversions/export',
    csvExport('conversions', { query: s.ConversionQuery, columns: s.exported, list }),
  ),
  getConversion: route.get('/conversions/{id}', {
    scope: 'read',
    summary: 'Get a conversion',
    description: 'One that was made; nothing of it changes any more.',
    schema: { params: s.ConversionParams, data: s.ConversionRecord },
    message: 'Conversion',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
})

const ofOperator = routesOf('Operator', conversionRefusals)

export const operatorExchangeRoutes = named({
  getExchange: ofOperator.get('/operator/exchange', {
    scope: 'operator',
    summary: 'Get the exchange positions',
    description:
      'What conversions of all businesses have left the installation with, by currency, and how far each may go.',
    schema: { data: s.ExchangeRecord },
    message: 'Exchange positions',
    read: (ctx) => exchangeOf(ctx),
  }),
  changeExchangeLimits: ofOperator.put('/operator/exchange/limits', {
    scope: 'operator',
    givesPower: true,
    summary: 'Limit the exchange positions',
    description:
      'From now on: a conversion that would leave the installation short of more than this is refused with `exchange_limit_exceeded`.',
    schema: { body: s.ExchangeLimitsIn, data: s.ExchangeRecord },
    example: { currencies: [{ currency: 'usd', max_short: 5_000_000 }] },
    message: 'Limits changed',
    run: (work, { body }) => changeExchangeLimits(work, body),
  }),
  acceptExchangeRate: ofOperator.post('/operator/exchange/rates/{id}/accept', {
    scope: 'operator',
    givesPower: true,
    summary: 'Accept an official rate',
    description:
      'One that has moved far and waits for a person: it is used from now on, while it is young.',
    schema: { params: s.RateParams, data: s.ExchangeRecord },
    message: 'Rate accepted',
    async run(work, { params }) {
      await decideRate(work, params.id, 'good')
      return exchangeOf(work)
    },
  }),
  refuseExchangeRate: ofOperator.post('/operator/exchange/rates/{id}/refuse', {
    scope: 'operator',
    summary: 'Refuse an official rate',
    description: 'One that has moved far and waits for a person: it is never used.',
    schema: { params: s.RateParams, data: s.ExchangeRecord },
    message: 'Rate refused',
    async run(work, { params }) {
      await decideRate(work, params.id, 'refused')
      return exchangeOf(work)
    },
  }),
})
