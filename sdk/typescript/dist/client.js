import { BursarError } from './errors.js';
import { Resources } from './resources.js';
import { environment, ignoredProxy } from './runtime.js';
import { timeoutOf } from './transport.js';
import { verify } from './webhooks.js';
/** Checks of webhooks, which need no client. */
export const webhooks = { verify };
/** A client of a Bursar server, with the key of a business. */
export class Bursar extends Resources {
    /** The same as `webhooks` of this module. */
    static webhooks = webhooks;
    /** @throws {BursarError} when there is no key, or no URL */
    constructor(options = {}) {
        const { maxRetries = 2, timeout = 30_000, money = 'number', fetch = globalThis.fetch } = options;
        const apiKey = String(options.apiKey ?? environment('BURSAR_KEY') ?? '').trim();
        const baseUrl = String(options.baseUrl ?? environment('BURSAR_URL') ?? '').trim();
        if (!apiKey)
            throw new BursarError('Give an apiKey (sk_test_… or sk_live_…), or set BURSAR_KEY.');
        if (!/^[!-~]+$/.test(apiKey))
            throw new BursarError('The apiKey has blanks, line breaks or other characters that no key has: copy it again.');
        if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(baseUrl) || !URL.canParse(baseUrl))
            throw new BursarError('Give the baseUrl of your server, such as https://pay.example.com, without a user, a query or a fragment, or set BURSAR_URL.');
        const proxy = options.fetch ? null : ignoredProxy(baseUrl);
        if (proxy !== null)
            throw new BursarError(`${proxy} is set, and this Node.js would not use it: start Node.js 22.21, 24.5 or newer with NODE_USE_ENV_PROXY=1, give a fetch that goes by the proxy, or name the server in NO_PROXY.`);
        // Called without its object: some runtimes want none, and others the global one.
        const plain = (input, init) => fetch(input, init);
        super({
            apiKey,
            baseUrl: baseUrl.replace(/\/+$/, ''),
            maxRetries,
            timeout: timeoutOf(timeout),
            money,
            fetch: plain,
        });
    }
}
