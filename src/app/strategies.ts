/** Lists the strategies: the functions that modules call of the modules above them. */
import { collectionOrigin } from '../collecting/collections/collections.ts'
import { customerNames } from '../collecting/customers/customers.ts'
import { identityApplier } from '../collecting/customers/verification.ts'
import { depositApplier, oneTimeApplier, sentBackApplier } from '../collecting/deposits/provider.ts'
import { screenedDeposit } from '../collecting/deposits/releasing.ts'
import {
  bookDisputeMovement,
  disputeApplier,
  findDisputed,
} from '../collecting/disputes/disputes.ts'
import { checkoutApplier, describeOpenPayments, paidMail } from '../collecting/payments/payments.ts'
import { reversals } from '../collecting/refunds/refunds.ts'
import { screenedRefund } from '../collecting/refunds/review.ts'
import { refundApplier, refundApprover } from '../collecting/refunds/settlement.ts'
import { refundsByPayouts } from '../collecting/refunds/transition.ts'
import { isReturn, returnApplier } from '../collecting/returns/returns.ts'
import { accountApplier } from '../collecting/virtual-accounts/virtual-accounts.ts'
import type { Strategies } from '../core/app.ts'
import { screenedPayout } from '../paying-out/payouts/review.ts'
import { payoutApplier, payoutApprover } from '../paying-out/payouts/settlement.ts'
import { applierByReference, type InboundApplier } from '../platform/inbound/inbound.ts'
import { creditNoteRefunds } from '../selling/credit-notes/credit-notes.ts'
import { describeHeldShares, distributionRefunds } from '../selling/distributions/distributions.ts'
import { distributionPayouts } from '../selling/distributions/settlement.ts'
import { invoiceOrigin } from '../selling/invoices/invoices.ts'
import { attachReceipt, writeReceipt } from '../web/checkout/checkout.ts'
import { checks, personal } from './modules.ts'

type Installation = Strategies['installation']

/**
 * Collects the strategies of the modules.
 * @param held returns the warnings while outgoing money is held
 * @param chains returns the states of the EVM networks
 */
export const strategiesOf = (
  held: Installation['held'],
  chains: Installation['chains'],
): Strategies => ({
  origins: { collection: collectionOrigin, invoice: invoiceOrigin },
  reversals,
  receipts: writeReceipt,
  attachments: { [paidMail]: attachReceipt },
  refunds: [distributionRefunds, creditNoteRefunds],
  disputed: findDisputed,
  payouts: distributionPayouts,
  payoutsOfRefunds: refundsByPayouts,
  inbound: {
    payout: sentApplier,
    refund: backApplier,
    identity: identityApplier,
    account: accountApplier,
    deposit: depositApplier,
    checkout: applierByReference({ 'va-': oneTimeApplier }, checkoutApplier),
    sent_back: sentBackApplier,
    dispute: disputeApplier,
  },
  accountChanges: [bookDisputeMovement],
  approvers: [payoutApprover, refundApprover],
  screened: { payout: screenedPayout, deposit: screenedDeposit, refund: screenedRefund },
  customerNames,
  closing: [describeOpenPayments, describeHeldShares],
  personal,
  installation: {
    chains,
    held,
    checks,
  },
})

/** Applies notifications about sent orders: payouts, and refunds to accounts. */
const sentApplier: InboundApplier = {
  async apply(ctx, id, about) {
    const applied = await payoutApplier.apply(ctx, id)
    return applied === 'nothing_to_do' ? refundApplier.apply(ctx, id, about) : applied
  },
  // Refunds to accounts are orders like any other there.
  find: payoutApplier.find,
}

/** Applies notifications about refunds of merchants, and about returns of unclaimed money. */
const backApplier: InboundApplier = {
  apply: (ctx, id, about) => (isReturn(ctx) ? returnApplier : refundApplier).apply(ctx, id, about),
}
