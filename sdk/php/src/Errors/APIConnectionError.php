<?php

declare(strict_types=1);

namespace Bursar\Errors;

/** No answer came, or none of Bursar's. What was asked for may have been done all the same: ask for it before you do it anew. */
class APIConnectionError extends BursarError
{
}
