<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** 401: the key is missing, unknown, revoked or expired. */
class AuthenticationError extends ApiError
{
}
