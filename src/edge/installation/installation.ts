/**
 * What whoever looks after the installation is shown of it: by commands, by keys of the operator, and at the dashboard.
 */
import type { App } from '../../core/app.ts'
import { diagnose, type Finding } from '../doctor/doctor.ts'

/** How far a network of stablecoins is followed. */
type Chain = {
  network: string
  behind: number
  halted: string | null
  trouble: string | null
  obstacle: string | null
  sweepTrouble: string | null
  tip_at: Date
  updated_at: Date
}

declare module '../../core/app.ts' {
  interface Strategies {
    /** What the composition alone can reach: the stablecoin rail, and every order that is held. */
    installation: {
      chains(): Promise<{ watchers: Chain[]; warnings: { detail: string }[] }>
      held(): Promise<string[]>
    }
  }
}

/** What may be wrong, as `bursar doctor` says it. */
export const healthOf = (app: App): Promise<Finding[]> =>
  diagnose({
    app,
    evmWarnings: async () => (await app.strategies.installation.chains()).warnings.map(({ detail }) => detail),
    heldWarnings: () => app.strategies.installation.held(),
  })
