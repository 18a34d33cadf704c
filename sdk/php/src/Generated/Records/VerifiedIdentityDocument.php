<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A verified identity document of a customer.
 *
 * @property-read string $id_type Which document.
 * @property-read string $id_number The number, hidden but for its last four characters.
 * @property-read string $verified_at When it was verified.
 * @property-read string $status Only verified documents are listed.
 * @property-read string|null $failure_reason Null: it did not fail.
 * @property-read IdentityDocumentReview|null $review
 * @property-read string $created_at When a document of this type was first given.
 * @property-read string $updated_at When it last changed.
 */
final class VerifiedIdentityDocument extends Record
{
    protected const SHAPES = [
        'review' => IdentityDocumentReview::class,
    ];
}
