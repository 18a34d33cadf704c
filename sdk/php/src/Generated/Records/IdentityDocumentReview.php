<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * That it waits for a person of the operator’s; null: it does not, or not any more.
 *
 * @property-read string $reason `no_rail`: no rail of the server verifies documents of its type.
 * @property-read string $since Since when it waits.
 */
final class IdentityDocumentReview extends Record
{
}
