<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Generated;

/** @internal */
final class Fields
{
    /** The fields, of what is given, that are maps: what they hold is sent as it is. */
    public const MAPS = ['metadata', 'metadata_filter'];
}
