<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A bank that payouts can go to.
 *
 * @property-read string $code What destinations name as `bank_code`; in `us` the routing number.
 * @property-read string $name The bank’s name.
 * @property-read string $type What kind of institution it is.
 * @property-read string $currency What its accounts hold.
 * @property-read string|null $nip_code Its NIP institution code, when known.
 */
final class Bank extends Record
{
}
