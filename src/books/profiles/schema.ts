import { Body, MetadataIn, RecordOf, Text, Type } from '../../lib/schema.ts'

const locale = { description: 'BCP 47: how amounts and times are written for people.', examples: ['en-NG'] }
const timeZone = {
  description: 'IANA: where the days and months of lists, exports and statements begin.',
  examples: ['Africa/Lagos'],
}
const name = { description: 'What payers and customers know it by.', examples: ['Ada’s Bakery'] }

export const BusinessRecord = RecordOf('Business', 'The business that the key speaks for, in the key’s mode.', {
  name: Type.String(name),
  locale: Type.String(locale),
  time_zone: Type.String(timeZone),
})

export const BusinessIn = Body({
  name: Type.Optional(Text(1, 200, name)),
  locale: Type.Optional(Text(2, 35, locale)),
  time_zone: Type.Optional(Text(1, 50, timeZone)),
  metadata: Type.Optional(MetadataIn),
})
