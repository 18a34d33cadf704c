<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** 429: too much at once; try again after `$retryAfter` seconds. */
class RateLimitError extends ApiError
{
}
