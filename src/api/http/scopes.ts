/**
 * Which scope a key needs for which operation: a row for each, and a route without a row stops the
 * start. What reads is `read`, except what shows who acts; what is simulated is as what it stands
 * for.
 */
import type { KeyScope, Needed } from '../../books/businesses/businesses.ts'
import type { Route } from '../../core/route.ts'

export const operations: Readonly<Record<string, KeyScope>> = {
  listWallets: 'read',
  simulateFunding: 'collect',

  createVirtualAccount: 'collect',
  listVirtualAccounts: 'read',
  exportVirtualAccounts: 'read',
  exportCollections: 'read',
  exportProducts: 'read',
  exportDistributions: 'read',
  exportCryptoWallets: 'read',
  exportCreditNotes: 'read',
  getVirtualAccount: 'read',
  closeVirtualAccount: 'collect',

  simulateVirtualAccountDeposit: 'collect',
  simulateCryptoWalletDeposit: 'collect',
  listCryptoWalletDeposits: 'read',

  createPayment: 'collect',
  listPayments: 'read',
  exportPayments: 'read',
  getPayment: 'read',
  getPaymentByReference: 'read',
  cancelPayment: 'collect',

  simulatePayment: 'collect',

  createCollection: 'collect',
  listCollections: 'read',
  getCollection: 'read',
  updateCollection: 'collect',
  cancelCollection: 'collect',
  listCollectionPayments: 'read',

  createRefund: 'refund',
  listRefunds: 'read',
  exportRefunds: 'read',
  getRefund: 'read',
  simulateRefund: 'refund',

  listDisputes: 'read',
  exportDisputes: 'read',
  getDispute: 'read',
  simulateDispute: 'collect',
  simulateDisputeEnd: 'collect',

  createProduct: 'collect',
  listProducts: 'read',
  getProduct: 'read',
  updateProduct: 'collect',
  archiveProduct: 'collect',
  unarchiveProduct: 'collect',

  createDistribution: 'collect',
  listDistributions: 'read',
  getDistribution: 'read',
  updateDistribution: 'collect',
  activateDistribution: 'collect',
  deactivateDistribution: 'collect',
  previewDistribution: 'collect',
  settleDistribution: 'payout',

  createInvoice: 'collect',
  listInvoices: 'read',
  exportInvoices: 'read',
  getInvoice: 'read',
  updateInvoice: 'collect',
  deleteInvoice: 'collect',
  finalizeInvoice: 'collect',
  voidInvoice: 'collect',
  sendInvoice: 'collect',
  getInvoicePdf: 'read',
  listCreditNotes: 'read',
  getCreditNote: 'read',
  getCreditNotePdf: 'read',

  quotePayout: 'payout',
  createPayout: 'payout',
  listPayouts: 'read',
  exportPayouts: 'read',
  getPayout: 'read',
  cancelPayout: 'payout',
  approvePayout: 'approve',
  refusePayout: 'approve',
  decidePayouts: 'approve',
  simulatePayout: 'payout',

  quoteConversion: 'payout',
  createConversion: 'payout',
  listConversions: 'read',
  exportConversions: 'read',
  getConversion: 'read',

  createPayoutSchedule: 'payout',
  listPayoutSchedules: 'read',
  getPayoutSchedule: 'read',
  listPayoutScheduleRuns: 'read',
  updatePayoutSchedule: 'payout',
  deletePayoutSchedule: 'payout',

  createBeneficiary: 'manage',
  listBeneficiaries: 'read',
  exportBeneficiaries: 'read',
  getBeneficiary: 'read',
  updateBeneficiary: 'manage',
  deleteBeneficiary: 'manage',

  createPayoutBatch: 'payout',
  listPayoutBatches: 'read',
  getPayoutBatch: 'read',
  listPayoutBatchLines: 'read',
  confirmPayoutBatch: 'payout',
  cancelPayoutBatch: 'payout',

  getLimits: 'read',
  updateLimits: 'manage',
  confirmPendingLimits: 'approve',
  cancelPendingLimits: 'manage',
  getLimitRules: 'read',

  createCustomer: 'collect',
  listCustomers: 'read',
  exportCustomers: 'read',
  getCustomer: 'read',
  updateCustomer: 'collect',
  deleteCustomer: 'collect',
  exportCustomerData: 'read',
  eraseCustomer: 'manage',
  listCustomerDocuments: 'read',
  verifyCustomerDocument: 'collect',

  getBusiness: 'read',
  updateBusiness: 'manage',
  listAuditEntries: 'manage',
  exportAuditEntries: 'manage',

  getStatement: 'read',
  getStatementCsv: 'read',
  getStatementPdf: 'read',
  getFeesReport: 'read',
  getFeesReportCsv: 'read',
  getSettlementReport: 'read',
  getSettlementReportCsv: 'read',
  getPayoutReport: 'read',

  listTransactions: 'read',
  exportTransactions: 'read',
  verifyTransaction: 'read',
  getTransactionReceipt: 'read',

  explainRecord: 'read',

  listCryptoTokens: 'read',
  createCryptoWallet: 'collect',
  listCryptoWallets: 'read',
  getCryptoWallet: 'read',
  closeCryptoWallet: 'collect',

  listBanks: 'read',
  resolveAccount: 'read',

  createWebhook: 'manage',
  listWebhooks: 'read',
  getWebhook: 'read',
  updateWebhook: 'manage',
  deleteWebhook: 'manage',
  rollWebhookSecret: 'manage',
  testWebhook: 'manage',
  recoverWebhook: 'manage',
  listWebhookDeliveries: 'read',
  getWebhookDelivery: 'read',
  resendEvent: 'manage',
  listEvents: 'read',
  streamEvents: 'read',
  getEvent: 'read',

  listRequests: 'manage',
  getRequest: 'manage',

  getTestClock: 'read',
  advanceTestClock: 'manage',
}

/** The same of what the pages of the dashboard alone can ask: no key can. */
export const operationsOfPeople: Readonly<Record<string, Needed>> = {
  listKeys: 'manage',
  getKey: 'manage',
  createKey: 'manage',
  rollKey: 'manage',
  changeKeyScopes: 'manage',
  revokeKey: 'manage',

  getAuditEntry: 'manage',

  confirmBeneficiary: 'manage',
  getEmptying: 'empty',
  emptyTestData: 'empty',
  listOperatorKeys: 'operator',
  getOperatorKey: 'operator',
  createOperatorKey: 'operator',
  revokeOperatorKey: 'operator',
}

/**
 * What keys of the operator can ask, and people who look after the installation; no key of a
 * business can.
 */
export const operationsOfOperator: readonly string[] = [
  'listOperatorBusinesses',
  'createOperatorBusiness',
  'getOperatorBusiness',
  'changeOperatorBusiness',
  'changeOperatorBusinessPlan',
  'getOperatorLimits',
  'changeOperatorLimits',

  'listPlans',
  'createPlan',
  'getPlan',
  'addPlanVersion',

  'listOperatorAuditEntries',
  'getOperatorAuditEntry',

  'getEarnings',
  'getEarningsCsv',

  'getInstallationHealth',
  'getRails',
  'listIncidents',
  'getIncident',
  'closeIncident',
  'getQueues',

  'getExchange',
  'changeExchangeLimits',

  'getTierLimits',
  'changeTierLimits',

  'acceptExchangeRate',
  'refuseExchangeRate',

  'listOperatorDisputes',
  'getOperatorDispute',
  'holdForDispute',
  'releaseForDispute',
  'takeForDispute',

  'listLedgerVerifications',
  'startLedgerVerification',
  'getLedgerVerification',
]

/** Those of them that a key must have been made for: they decide what waits for a person. */
export const operationsOfReviewers: readonly string[] = [
  'listOperatorDocuments',
  'getOperatorDocument',
  'approveDocument',
  'rejectDocument',
  'showDocumentNumber',
  'listReviews',
  'getReview',
  'releaseReview',
  'refuseReview',
  'listScreeningEntries',
  'addScreeningEntry',
  'removeScreeningEntry',
]

/**
 * What gives power: a person does it with a second factor shown in the last half hour. In test mode
 * that is asked of nobody: nothing there moves money.
 */
const powerful: readonly string[] = [
  'createKey',
  'rollKey',
  'changeKeyScopes',
  'createWebhook',
  'rollWebhookSecret',
  'updateLimits',
  'confirmPendingLimits',

  'createOperatorKey',
  'changeOperatorLimits',
  'changeTierLimits',
  'changeExchangeLimits',
  'acceptExchangeRate',

  'approveDocument',
  'rejectDocument',
  'showDocumentNumber',
  'releaseReview',
  'refuseReview',
  'addScreeningEntry',
  'removeScreeningEntry',
]

/**
 * Whether an operation gives somebody power, so that a person confirms it with a fresh second
 * factor.
 */
export const givesPower = ({ id }: Pick<Route, 'id'>): boolean => powerful.includes(id)

/**
 * What a business that was stopped can do still: it ends what there is, and tries out what comes to
 * it.
 */
const goesOn: readonly string[] = [
  'cancelPayout',
  'cancelPayoutBatch',
  'deletePayoutSchedule',
  'refusePayout',
  'simulatePayout',
  'simulateRefund',
  'simulateDispute',
  'simulateDisputeEnd',
  'cancelPayment',
  'simulatePayment',
  'cancelCollection',
  'closeVirtualAccount',
  'simulateVirtualAccountDeposit',
  'closeCryptoWallet',
  'simulateCryptoWalletDeposit',
  'simulateFunding',
  'archiveProduct',
  'deactivateDistribution',
  'previewDistribution',
  'deleteInvoice',
  'voidInvoice',
  'deleteCustomer',
]

/** Whether an operation is refused of a business that was stopped: it collects or pays out anew. */
export function isStopped(route: Pick<Route, 'id'>): boolean {
  const scope = operations[route.id]
  return (
    !('read' in route) &&
    scope !== 'read' &&
    scope !== 'manage' &&
    scope !== undefined &&
    !goesOn.includes(route.id)
  )
}

/** The scope that an operation needs. @throws {Error} when the table has no row for it */
export function scopeOf(id: string): Needed {
  const ofOperator = operationsOfReviewers.includes(id)
    ? 'review'
    : operationsOfOperator.includes(id)
      ? 'operator'
      : null
  const scope = operations[id] ?? operationsOfPeople[id] ?? ofOperator
  if (scope === null) throw new Error(`the operation '${id}' needs a row in the table of scopes`)
  return scope
}
