<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** 400, 413, 415, 422: a rule refused it, or it is not well formed. Mend it. */
class InvalidRequestError extends ApiError
{
}
