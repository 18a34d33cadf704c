import type { Room } from '../../core/room.ts'
import { personalWallets } from './personal.ts'
import { cryptoRefusals } from './refusals.ts'
import { cryptoRoutes } from './routes.ts'
import { cryptoWalletTimeline } from './timeline.ts'

export const crypto: Room = {
  routes: cryptoRoutes,
  refusals: cryptoRefusals,
  timelines: [cryptoWalletTimeline],
  personal: [personalWallets],
}
