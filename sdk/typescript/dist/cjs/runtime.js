"use strict";
/**
 * Where the SDK runs: Node.js, Bun, Deno, workerd, or something else that has `fetch` and Web
 * Crypto.
 */
Object.defineProperty(exports, "__esModule", { value: true });
exports.freshClient = exports.agent = exports.version = void 0;
exports.environment = environment;
exports.ignoredProxy = ignoredProxy;
/** The version of this package. */
exports.version = '0.1.0';
const here = globalThis;
function runtime() {
    if (here.Bun)
        return `bun/${here.Bun.version}`;
    if (here.Deno)
        return `deno/${here.Deno.version.deno}`;
    if (here.navigator?.userAgent === 'Cloudflare-Workers')
        return 'workerd';
    return here.process?.versions?.node ? `node/${here.process.versions.node}` : 'unknown';
}
exports.agent = `bursar-typescript/${exports.version} ${runtime()}`;
/** A variable of the environment, where there is one and it may be read. */
function environment(name) {
    try {
        return here.process?.env?.[name];
    }
    catch {
        // Deno asks for --allow-env.
        return undefined;
    }
}
/**
 * Returns the variable that names a proxy for a URL where this runtime's `fetch` would ignore it,
 * or null. Bun and Deno obey the variables; Node.js does where it is started with
 * NODE_USE_ENV_PROXY=1 or `--use-env-proxy`, and knows them.
 */
function ignoredProxy(url) {
    if (!runtime().startsWith('node/'))
        return null;
    const { execArgv = [], allowedNodeEnvironmentFlags: flags } = here.process ?? {};
    const flag = '--use-env-proxy';
    const isOn = environment('NODE_USE_ENV_PROXY') === '1' ||
        `${execArgv} ${environment('NODE_OPTIONS') ?? ''}`.includes(flag);
    if (isOn && flags?.has(flag))
        return null;
    const { protocol, hostname, port } = new URL(url);
    const named = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
    const proxy = named.find((name) => environment(name));
    const direct = (environment('no_proxy') ?? environment('NO_PROXY') ?? '')
        .split(/[\s,]+/)
        .filter(Boolean);
    const isDirect = direct.some((entry) => {
        const host = entry.replace(/^\*?\./, '');
        return (entry === '*' ||
            hostname === host ||
            `${hostname}:${port}` === host ||
            hostname.endsWith(`.${host}`));
    });
    return proxy === undefined || isDirect ? null : proxy;
}
/**
 * Returns a client whose connection is new, or null where none is needed. On a connection that was
 * open and ends without an answer, Deno's `fetch` sends a request again by itself, also one that
 * may not be sent twice.
 */
const freshClient = () => here.Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 }) ?? null;
exports.freshClient = freshClient;
