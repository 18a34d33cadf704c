<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** 409: done before, or being done. Read what is there. */
class ConflictError extends ApiError
{
}
