<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Bank, us: where the holder lives or has its seat. Some ways of paying dollars need it.
 *
 * @property-read string|null $line1 Street and number.
 * @property-read string|null $city City.
 * @property-read string|null $state State or region.
 * @property-read string|null $postal_code Postal code.
 * @property-read string|null $country ISO 3166-1 alpha-2 code, in lower case.
 */
final class HolderAddress extends Record
{
    protected const OPTIONAL = ['line1', 'city', 'state', 'postal_code', 'country'];
}
