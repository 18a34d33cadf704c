/** The ledger's proofs: what other rooms and the edge use of them. */
export { proofRoutes } from './routes.ts'
export { sealingTask, sealPostings } from './sealing.ts'
export { type ChainVerdict, verifyChain } from './verifying.ts'
