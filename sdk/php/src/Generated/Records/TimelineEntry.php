<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * One thing that happened, or is going to.
 *
 * @property-read string $title It in a sentence, for people.
 * @property-read string $at When. Of `request`, `change` and tries to deliver, by the server’s clock; of all else, in the time of the mode.
 * @property-read string $kind `state`: it was made, sent, ended; `posting`: the ledger moved an amount; `event`: an event was emitted; `delivery`: a try to deliver one to an endpoint, and the answer; `request`, `change`: who asked for it, or changed it (only with the scope `manage`); `provider`: what the rail knows it by; `waiting`: what is going to happen.
 * @property-read array<string, mixed> $detail The facts of it, by the kind. Amounts in minor units.
 * @property-read array<string, string> $ids The records that it is of, by what they are.
 */
final class TimelineEntry extends Record
{
    protected const SHAPES = [
        'detail' => ['*' => null],
        'ids' => ['*' => null],
    ];
}
