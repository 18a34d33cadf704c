/**
 * The SDK of Bursar, the open, self-hosted merchant payments server.
 */
export type { Amount, MoneyOption } from './amounts.ts';
export { Bursar, type BursarOptions, webhooks } from './client.ts';
export * from './errors.ts';
export * from './generated.ts';
export { type AnyPage, ListRequest } from './pages.ts';
export * from './resources.ts';
export { version } from './runtime.ts';
export { EventStream } from './stream.ts';
export type { RequestOptions, WriteOptions } from './transport.ts';
export type { RawBody, VerifyOptions, WebhookEvent, WebhookHeaders } from './webhooks.ts';
