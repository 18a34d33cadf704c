/**
 * What can go wrong. Every error of the SDK is a `BursarError`; what the server refuses is an
 * `ApiError` of the class of its status.
 */
import type { RefusalCode, ValidationIssue } from './generated.ts';
/** What the SDK itself throws, and the root of all that it throws. */
export declare class BursarError extends Error {
}
/** What the server, or a proxy before it, refused. Branch on `code`. */
export declare class ApiError extends BursarError {
    /** The HTTP status. */
    readonly status: number;
    /**
     * Stable. A later server has codes that are not in this union. Null: it was not the server who
     * answered.
     */
    readonly code: RefusalCode | null;
    /** `X-Request-Id`: quote it, or ask for it by `bursar.requests.get`. */
    readonly requestId: string | null;
    /** What is wrong with the request, part by part: of `validation_failed`. */
    readonly errors: readonly ValidationIssue[];
    /**
     * What the refusal says beside its code, such as `available` and `needed` of
     * `insufficient_funds`.
     */
    readonly details: Readonly<Record<string, unknown>>;
    /** Seconds to wait before another try, where the server said so. */
    readonly retryAfter: number | null;
    constructor(message: string, fields: Pick<ApiError, 'status' | 'code' | 'requestId' | 'errors' | 'details' | 'retryAfter'>);
}
/** 400, 413, 415, 422: change the request. */
export declare class InvalidRequestError extends ApiError {
}
/** 401: the key is missing or does not work. */
export declare class AuthenticationError extends ApiError {
}
/** 403: the key may not do this. */
export declare class PermissionError extends ApiError {
}
/** 404, 410: no such record for this business and mode. */
export declare class NotFoundError extends ApiError {
}
/** 409: done before, or being done. Read what is there first. */
export declare class ConflictError extends ApiError {
}
/** 429: too much at once. */
export declare class RateLimitError extends ApiError {
}
/** 5xx: the server, or a proxy before it, failed. A write may have been done. */
export declare class ServerError extends ApiError {
}
/** No answer, or half of one, or one that is not Bursar's. A write may have been done. */
export declare class APIConnectionError extends BursarError {
}
/** No whole answer within the time-out. A write may have been done. */
export declare class APITimeoutError extends APIConnectionError {
}
/**
 * The webhook is not from Bursar, or not fresh, or could not be checked. Answer 401, and do
 * nothing.
 */
export declare class SignatureVerificationError extends BursarError {
}
/** The class of a status. */
export declare function classOf(status: number): typeof ApiError;
