<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** 403: the key may not do this, or not from here. */
class PermissionError extends ApiError
{
}
