<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** A delivery is not from Bursar, or too old, or cannot be checked: do not act on it, and answer 401. */
class SignatureVerificationError extends BursarError
{
}
