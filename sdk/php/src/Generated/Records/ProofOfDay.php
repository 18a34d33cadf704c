<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What proves all that was sealed on a day.
 *
 * @property-read string $day The day in UTC.
 * @property-read list<CellProof> $cells Of each cell that has one; most installations have one cell.
 * @property-read list<string> $missing Cells that have none yet, by their letters.
 * @property-read list<string> $absent Cells that say that they have none of this day, and will have none, or that they sign none.
 * @property-read list<string> $unavailable Cells that do not answer now.
 */
final class ProofOfDay extends Record
{
    protected const SHAPES = [
        'cells' => [CellProof::class],
    ];
}
