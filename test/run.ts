/**
 * Runs the tests that need no browser. What operations declare that they refuse with must have been provoked by them.
 */
import { unprovoked } from './support/provoked.ts'
import { runTests } from './support/runner.ts'

await runTests({
  patterns: [
    'src/**/*.test.ts',
    'test/{integration,system,doubles}/**/*.test.ts',
    'sdk/generate/*.test.ts',
    'sdk/typescript/*.test.ts',
  ],
  longest: [
    'test/integration/paystack/matrix.test.ts',
    'test/system/processes/crash.test.ts',
    'test/integration/collecting/collecting-races.test.ts',
    'test/integration/paystack/reconcile.test.ts',
    'test/system/processes/start.test.ts',
    'test/system/processes/operating.test.ts',
    'test/system/processes/processes.test.ts',
  ],
  // Not those of chains, whose network is begun by what they import, and not those of the database, which start servers of it.
  together: [
    'src/{books,collecting,selling,paying-out,platform,edge,lib}/**/*.test.ts',
    'src/rails/{.,bridge,dojah,paystack}/*.test.ts',
    'test/integration/{stripe,monnify}/{accounts,balance,cards,payouts,refunds,cards-matrix,naira-fall-over}.test.ts',
    'test/integration/paystack/{accounts,approval,card-faults,cards,customers,deposits,disputes}.test.ts',
    'test/integration/paystack/{identity,payouts,refunds,transfers,virtual-accounts}.test.ts',
    'test/integration/{dojah,rails,books}/*.test.ts',
    'test/integration/dollars/{bridge-payouts,dollars-fall-over}.test.ts',
    'test/integration/payouts/{approval-races,limit-races}.test.ts',
    'test/integration/collecting/{pricing-incoming,receipts}.test.ts',
    'test/integration/{privacy/retention,api/search}.test.ts',
    'test/doubles/*.test.ts',
    'src/db/{arrays,batch,hosts,table}.test.ts',
  ],
  concurrency: 6,
  misses: unprovoked,
})
