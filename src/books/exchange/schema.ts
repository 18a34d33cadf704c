import * as s from '../../lib/schema.ts'

const rateSources = s.Named('RateSource', ['table', 'official'])

/** The origin of a rate, as quotes and conversions show it. */
export const rateOrigin = {
  rate_source: s.OneOf(rateSources, {
    description:
      'Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched.',
  }),
  rate_fetched_at: s.Nullable(s.Timestamp('When an official rate was fetched.')),
  rate_valid_until: s.Nullable(s.Timestamp('Until when an official rate was to be used.')),
}
