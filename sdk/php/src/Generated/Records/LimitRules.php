<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * How often the rules of limits fired, in all wallets of the mode.
 *
 * @property-read list<FiredRule> $rules Each rule, also those that did not fire.
 */
final class LimitRules extends Record
{
    protected const SHAPES = [
        'rules' => [FiredRule::class],
    ];
}
