export { Bursar, webhooks } from './client.js';
export * from './errors.js';
export * from './generated.js';
export { ListRequest } from './pages.js';
export * from './resources.js';
export { version } from './runtime.js';
export { EventStream } from './stream.js';
