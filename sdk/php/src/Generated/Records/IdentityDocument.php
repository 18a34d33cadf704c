<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What came of verifying an identity document.
 *
 * @property-read string $id_type Which document.
 * @property-read string $id_number The number, hidden but for its last four characters.
 * @property-read string|null $verified_at When it was verified; null: it was not.
 * @property-read string $status Whether the document was verified; `pending`: the rail looks into it, or a person does, and an event tells its end.
 * @property-read string|null $failure_reason `mismatch`: it is someone else’s; `not_found`: its issuer knows no such number; `rejected`: the rail does not look into it; `no_answer`: the rail did not answer for three days.
 * @property-read IdentityDocumentReview|null $review
 * @property-read string $created_at When a document of this type was first given.
 * @property-read string $updated_at When it last changed.
 */
final class IdentityDocument extends Record
{
    protected const SHAPES = [
        'review' => IdentityDocumentReview::class,
    ];
}
