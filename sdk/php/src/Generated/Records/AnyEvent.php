<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * An event. One of a type that this version knows is of the type's own class; of a later server's,
 * of this one.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $type What happened.
 * @property-read string $timestamp When it happened.
 * @property-read mixed $payload The record as its own GET would have returned it at that moment.
 */
class AnyEvent extends Record
{
    protected const SHAPES = ['payload' => ['*' => null]];
    protected const VARIANTS = [
        'virtual_account.activated' => VirtualAccountActivatedEvent::class,
        'virtual_account.failed' => VirtualAccountFailedEvent::class,
        'virtual_account.deposit' => VirtualAccountDepositEvent::class,
        'crypto.deposit' => CryptoDepositEvent::class,
        'payment.completed' => PaymentCompletedEvent::class,
        'payment.failed' => PaymentFailedEvent::class,
        'payment.expired' => PaymentExpiredEvent::class,
        'payment.canceled' => PaymentCanceledEvent::class,
        'collection.completed' => CollectionCompletedEvent::class,
        'collection.canceled' => CollectionCanceledEvent::class,
        'refund.initiated' => RefundInitiatedEvent::class,
        'refund.completed' => RefundCompletedEvent::class,
        'refund.failed' => RefundFailedEvent::class,
        'dispute.opened' => DisputeOpenedEvent::class,
        'dispute.closed' => DisputeClosedEvent::class,
        'distribution.destination_changed' => DistributionDestinationChangedEvent::class,
        'invoice.finalized' => InvoiceFinalizedEvent::class,
        'invoice.sent' => InvoiceSentEvent::class,
        'invoice.paid' => InvoicePaidEvent::class,
        'invoice.voided' => InvoiceVoidedEvent::class,
        'payout.initiated' => PayoutInitiatedEvent::class,
        'payout.review_opened' => PayoutReviewOpenedEvent::class,
        'payout.completed' => PayoutCompletedEvent::class,
        'payout.failed' => PayoutFailedEvent::class,
        'payout.canceled' => PayoutCanceledEvent::class,
        'payout.returned' => PayoutReturnedEvent::class,
        'conversion.completed' => ConversionCompletedEvent::class,
        'customer.document.verified' => CustomerDocumentVerifiedEvent::class,
        'customer.document.failed' => CustomerDocumentFailedEvent::class,
        'customer.erased' => CustomerErasedEvent::class,
    ];
}
