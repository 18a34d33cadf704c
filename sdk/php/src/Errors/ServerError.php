<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** 5xx: the server failed, or what stands before it. What was asked for may have been done all the same. */
class ServerError extends ApiError
{
}
