/** The ledger's proofs, for other modules. */
export { keepMovedChain } from './moved.ts'
export { getReceipt } from './receipts.ts'
export { proofRoutes } from './routes.ts'
export { sealPostings } from './sealing.ts'
export { type ChainVerdict, verifyChain } from './verifying.ts'
