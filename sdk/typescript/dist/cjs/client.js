"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Bursar = exports.webhooks = void 0;
const errors_ts_1 = require("./errors.js");
const resources_ts_1 = require("./resources.js");
const runtime_ts_1 = require("./runtime.js");
const transport_ts_1 = require("./transport.js");
const webhooks_ts_1 = require("./webhooks.js");
/** Checks of webhooks, which need no client. */
exports.webhooks = { verify: webhooks_ts_1.verify };
/** A client of a Bursar server, with the key of a business. */
class Bursar extends resources_ts_1.Resources {
    /** The same as `webhooks` of this module. */
    static webhooks = exports.webhooks;
    /** @throws {BursarError} when there is no key, or no URL */
    constructor(options = {}) {
        const { maxRetries = 2, timeout = 30_000, money = 'number', fetch = globalThis.fetch } = options;
        const apiKey = String(options.apiKey ?? (0, runtime_ts_1.environment)('BURSAR_KEY') ?? '').trim();
        const baseUrl = String(options.baseUrl ?? (0, runtime_ts_1.environment)('BURSAR_URL') ?? '').trim();
        if (!apiKey)
            throw new errors_ts_1.BursarError('Give an apiKey (sk_test_… or sk_live_…), or set BURSAR_KEY.');
        if (!/^[!-~]+$/.test(apiKey))
            throw new errors_ts_1.BursarError('The apiKey has blanks, line breaks or other characters that no key has: copy it again.');
        if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(baseUrl) || !URL.canParse(baseUrl))
            throw new errors_ts_1.BursarError('Give the baseUrl of your server, such as https://pay.example.com, without a user, a query or a fragment, or set BURSAR_URL.');
        const proxy = options.fetch ? null : (0, runtime_ts_1.ignoredProxy)(baseUrl);
        if (proxy !== null)
            throw new errors_ts_1.BursarError(`${proxy} is set, and this Node.js would not use it: start Node.js 22.21, 24.5 or newer with NODE_USE_ENV_PROXY=1, give a fetch that goes by the proxy, or name the server in NO_PROXY.`);
        // Called without its object: some runtimes want none, and others the global one.
        const plain = (input, init) => fetch(input, init);
        super({
            apiKey,
            baseUrl: baseUrl.replace(/\/+$/, ''),
            maxRetries,
            timeout: (0, transport_ts_1.timeoutOf)(timeout),
            money,
            fetch: plain,
        });
    }
}
exports.Bursar = Bursar;
