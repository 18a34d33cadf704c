/**
 * Where the SDK runs: Node.js, Bun, Deno, workerd, or something else that has `fetch` and Web
 * Crypto.
 */
/** The version of this package. */
export declare const version = "0.1.0";
/** What Deno's `fetch` takes as `client`. */
export type FreshClient = {
    close(): void;
};
export declare const agent: string;
/** A variable of the environment, where there is one and it may be read. */
export declare function environment(name: string): string | undefined;
/**
 * Returns the variable that names a proxy for a URL where this runtime's `fetch` would ignore it,
 * or null. Bun and Deno obey the variables; Node.js does where it is started with
 * NODE_USE_ENV_PROXY=1 or `--use-env-proxy`, and knows them.
 */
export declare function ignoredProxy(url: string): string | null;
/**
 * Returns a client whose connection is new, or null where none is needed. On a connection that was
 * open and ends without an answer, Deno's `fetch` sends a request again by itself, also one that
 * may not be sent twice.
 */
export declare const freshClient: () => FreshClient | null;
