<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Who holds an account.
 *
 * @property-read string $account_number As asked.
 * @property-read string $account_name The holder, as the bank knows them.
 * @property-read string $bank_code As asked.
 * @property-read string $bank_name The bank’s name.
 */
final class ResolvedAccount extends Record
{
}
