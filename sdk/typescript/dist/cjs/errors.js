"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SignatureVerificationError = exports.APITimeoutError = exports.APIConnectionError = exports.ServerError = exports.RateLimitError = exports.ConflictError = exports.NotFoundError = exports.PermissionError = exports.AuthenticationError = exports.InvalidRequestError = exports.ApiError = exports.BursarError = void 0;
exports.classOf = classOf;
/** What the SDK itself throws, and the root of all that it throws. */
class BursarError extends Error {
    static {
        BursarError.prototype.name = 'BursarError';
    }
}
exports.BursarError = BursarError;
/** What the server, or a proxy before it, refused. Branch on `code`. */
class ApiError extends BursarError {
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
exports.ApiError = ApiError;
/** 400, 413, 415, 422: change the request. */
class InvalidRequestError extends ApiError {
    static {
        InvalidRequestError.prototype.name = 'InvalidRequestError';
    }
}
exports.InvalidRequestError = InvalidRequestError;
/** 401: the key is missing or does not work. */
class AuthenticationError extends ApiError {
    static {
        AuthenticationError.prototype.name = 'AuthenticationError';
    }
}
exports.AuthenticationError = AuthenticationError;
/** 403: the key may not do this. */
class PermissionError extends ApiError {
    static {
        PermissionError.prototype.name = 'PermissionError';
    }
}
exports.PermissionError = PermissionError;
/** 404, 410: no such record for this business and mode. */
class NotFoundError extends ApiError {
    static {
        NotFoundError.prototype.name = 'NotFoundError';
    }
}
exports.NotFoundError = NotFoundError;
/** 409: done before, or being done. Read what is there first. */
class ConflictError extends ApiError {
    static {
        ConflictError.prototype.name = 'ConflictError';
    }
}
exports.ConflictError = ConflictError;
/** 429: too much at once. */
class RateLimitError extends ApiError {
    static {
        RateLimitError.prototype.name = 'RateLimitError';
    }
}
exports.RateLimitError = RateLimitError;
/** 5xx: the server, or a proxy before it, failed. A write may have been done. */
class ServerError extends ApiError {
    static {
        ServerError.prototype.name = 'ServerError';
    }
}
exports.ServerError = ServerError;
/** No answer, or half of one, or one that is not Bursar's. A write may have been done. */
class APIConnectionError extends BursarError {
    static {
        APIConnectionError.prototype.name = 'APIConnectionError';
    }
}
exports.APIConnectionError = APIConnectionError;
/** No whole answer within the time-out. A write may have been done. */
class APITimeoutError extends APIConnectionError {
    static {
        APITimeoutError.prototype.name = 'APITimeoutError';
    }
}
exports.APITimeoutError = APITimeoutError;
/**
 * The webhook is not from Bursar, or not fresh, or could not be checked. Answer 401, and do
 * nothing.
 */
class SignatureVerificationError extends BursarError {
    static {
        SignatureVerificationError.prototype.name = 'SignatureVerificationError';
    }
}
exports.SignatureVerificationError = SignatureVerificationError;
/** The class of a status. */
function classOf(status) {
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
