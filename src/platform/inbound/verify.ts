import type { Check } from '../../core/module.ts'
import { waitsForNothing } from '../jobs/timers.ts'
import { applyTask, noBusiness } from './applying.ts'

/** Checks that every stored event is applied or has an incident. */
export const inboundChecks: Check[] = [
  {
    name: 'every event of a provider that is not applied has a timer or a job',
    text: waitsForNothing(
      `select '${noBusiness}' as business_id, livemode, id, 'event ' || id || ' of ' || rail as what from provider_events where outcome is null`,
      'event_id',
      [applyTask],
    ),
  },
  {
    name: 'every event of a provider that could not be applied has an incident',
    text: `
      select '${noBusiness}' as business_id, livemode, 'event ' || id || ' of ' || rail as what, 'an incident' as expected, outcome as found
        from provider_events e
       where outcome in ('unknown_subject', 'quarantined')
         and not exists (select from provider_incidents i
                          where i.livemode = e.livemode and i.rail = e.rail and i.subject = e.id)`,
  },
]
