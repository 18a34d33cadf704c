<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Mails while it is open: so many days before and after `due_date`, which they need. Empty: none.
 *
 * @property-read list<int>|null $days_before How many days.
 * @property-read list<int>|null $days_after How many days.
 */
final class InvoiceReminders extends Record
{
    protected const OPTIONAL = ['days_before', 'days_after'];
}
