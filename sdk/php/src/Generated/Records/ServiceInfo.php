<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What this server is.
 *
 * @property-read string $name
 * @property-read string $version
 * @property-read string $docs The reference page.
 * @property-read string $openapi The OpenAPI document.
 * @property-read string $health Liveness and readiness.
 */
final class ServiceInfo extends Record
{
}
