<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** The base of all that this package throws. */
class BursarError extends \RuntimeException
{
}
