/** The ledger's proofs: what other modules and the edge use of them. */
export { keepMovedChain } from './moved.ts'
export { proofRoutes } from './routes.ts'
export { sealingTask, sealPostings } from './sealing.ts'
export { type ChainVerdict, verifyChain } from './verifying.ts'
