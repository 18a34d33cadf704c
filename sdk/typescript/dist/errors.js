/** What the SDK itself throws, and the root of all that it throws. */
export class BursarError extends Error {
    static {
        BursarError.prototype.name = 'BursarError';
    }
}
/** What the server, or a proxy before it, refused. Branch on `code`. */
export class ApiError extends BursarError {
    static {
        ApiError.prototype.name = 'ApiError';
    }
    /** The HTTP status. */
    status;
    /**
     * Stable. A later server has codes that are not in this union. Null: it was not the server who
     * answered.
     */
    code;
    /** `X-Request-Id`: quote it, or ask for it by `bursar.requests.get`. */
    requestId;
    /** What is wrong with the request, part by part: of `validation_failed`. */
    errors;
    /**
     * What the refusal says beside its code, such as `available` and `needed` of
     * `insufficient_funds`.
     */
    details;
    /** Seconds to wait before another try, where the server said so. */
    retryAfter;
    constructor(message, fields) {
        super(message);
        this.status = fields.status;
        this.code = fields.code;
        this.requestId = fields.requestId;
        this.errors = fields.errors;
        this.details = fields.details;
        this.retryAfter = fields.retryAfter;
    }
}
/** 400, 413, 415, 422: change the request. */
export class InvalidRequestError extends ApiError {
    static {
        InvalidRequestError.prototype.name = 'InvalidRequestError';
    }
}
/** 401: the key is missing or does not work. */
export class AuthenticationError extends ApiError {
    static {
        AuthenticationError.prototype.name = 'AuthenticationError';
    }
}
/** 403: the key may not do this. */
export class PermissionError extends ApiError {
    static {
        PermissionError.prototype.name = 'PermissionError';
    }
}
/** 404, 410: no such record for this business and mode. */
export class NotFoundError extends ApiError {
    static {
        NotFoundError.prototype.name = 'NotFoundError';
    }
}
/** 409: done before, or being done. Read what is there first. */
export class ConflictError extends ApiError {
    static {
        ConflictError.prototype.name = 'ConflictError';
    }
}
/** 429: too much at once. */
export class RateLimitError extends ApiError {
    static {
        RateLimitError.prototype.name = 'RateLimitError';
    }
}
/** 5xx: the server, or a proxy before it, failed. A write may have been done. */
export class ServerError extends ApiError {
    static {
        ServerError.prototype.name = 'ServerError';
    }
}
/** No answer, or half of one, or one that is not Bursar's. A write may have been done. */
export class APIConnectionError extends BursarError {
    static {
        APIConnectionError.prototype.name = 'APIConnectionError';
    }
}
/** No whole answer within the time-out. A write may have been done. */
export class APITimeoutError extends APIConnectionError {
    static {
        APITimeoutError.prototype.name = 'APITimeoutError';
    }
}
/**
 * The webhook is not from Bursar, or not fresh, or could not be checked. Answer 401, and do
 * nothing.
 */
export class SignatureVerificationError extends BursarError {
    static {
        SignatureVerificationError.prototype.name = 'SignatureVerificationError';
    }
}
/** The class of a status. */
export function classOf(status) {
    if (status >= 500)
        return ServerError;
    switch (status) {
        case 400:
        case 413:
        case 415:
        case 422:
            return InvalidRequestError;
        case 401:
            return AuthenticationError;
        case 403:
            return PermissionError;
        case 404:
        case 410:
            return NotFoundError;
        case 409:
            return ConflictError;
        case 429:
            return RateLimitError;
    }
    return ApiError;
}
