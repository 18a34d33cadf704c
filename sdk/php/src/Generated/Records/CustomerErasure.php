<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * That a customer is erased.
 *
 * @property-read string $id The customer.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read string $erased_at When it was erased.
 */
final class CustomerErasure extends Record
{
}
