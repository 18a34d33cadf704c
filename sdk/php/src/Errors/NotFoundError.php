<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** 404, 410: nothing of that name for this business and mode. */
class NotFoundError extends ApiError
{
}
