<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** The server refused, or failed. */
class ApiError extends BursarError
{
    /** @var string|null Why, for programs: `errors.code` of the answer. Null where something between you and the server answered. */
    public $code;

    /**
     * @param int $status the HTTP status
     * @param string|null $requestId the request as the server's log and `GET /requests` name it
     * @param list<\Bursar\Records\ValidationIssue> $errors what is wrong with a request that does not match the schema (422); else empty
     * @param array<string, mixed> $details what some codes say beside themselves, such as `available` and `needed` of `insufficient_funds`
     * @param float|null $retryAfter after how many seconds to try again, where the server says it
     */
    final public function __construct(
        string $message,
        public readonly int $status,
        ?string $code = null,
        public readonly ?string $requestId = null,
        public readonly array $errors = [],
        public readonly array $details = [],
        public readonly ?float $retryAfter = null,
    ) {
        parent::__construct($message);
        $this->code = $code;
    }

    /**
     * The class of the errors of a status.
     *
     * @return class-string<ApiError>
     */
    public static function classOf(int $status): string
    {
        return match (true) {
            in_array($status, [400, 413, 415, 422], true) => InvalidRequestError::class,
            $status === 401 => AuthenticationError::class,
            $status === 403 => PermissionError::class,
            $status === 404, $status === 410 => NotFoundError::class,
            $status === 409 => ConflictError::class,
            $status === 429 => RateLimitError::class,
            $status >= 500 => ServerError::class,
            default => self::class,
        };
    }
}
