<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What is sent again.
 *
 * @property-read int $recovered How many deliveries are sent again.
 */
final class RecoveredDeliveries extends Record
{
}
