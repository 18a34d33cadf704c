<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** The server did not answer in time. What was asked for may have been done all the same. */
class APITimeoutError extends APIConnectionError
{
}
