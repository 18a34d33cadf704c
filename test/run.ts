/**
 * Runs the tests that need no browser. What operations declare that they refuse with must have been provoked by them.
 */
import { drills } from './drills.ts'
import { unprovoked } from './provoked.ts'
import { runTests } from './runner.ts'

await runTests({
  patterns: ['src/**/*.test.ts', 'test/**/*.test.ts', 'sdk/generate/*.test.ts', 'sdk/typescript/*.test.ts'],
  except: drills,
  longest: [
    'test/paystack-matrix.test.ts',
    'test/crash.test.ts',
    'test/collecting-races.test.ts',
    'test/paystack-reconcile.test.ts',
    'test/start.test.ts',
    'test/operating.test.ts',
    'test/processes.test.ts',
  ],
  // Not those of chains, whose network is begun by what they import, and not those of the database, which start servers of it.
  together: [
    'src/{books,collecting,selling,paying-out,platform,edge,lib}/**/*.test.ts',
    'src/rails/{.,bridge,dojah,paystack}/*.test.ts',
    'test/{monnify,stripe}-{accounts,balance,cards,payouts}.test.ts',
    'test/paystack-{accounts,approval,card-faults,cards,customers,deposits,disputes}.test.ts',
    'test/paystack-{identity,payouts,refunds,transfers,virtual-accounts}.test.ts',
    'test/{bridge-payouts,dojah,dojah-matrix,dollars-fall-over,naira-fall-over,stripe-cards-matrix,stripe-refunds}.test.ts',
    'test/{approval-races,closed-periods,limit-races,live,pricing-incoming,rails,receipts,retention,search}.test.ts',
    'test/doubles/*.test.ts',
    'src/db/{arrays,batch,hosts,table}.test.ts',
  ],
  concurrency: 6,
  misses: unprovoked,
})
