/**
 * Banks to choose from.
 */
import type { AnswerOf } from '../../../core/operations.ts'
import type { Visit } from '../place.ts'

type Asks = Pick<Visit, 'api'>

const banksOf = ({ api }: Asks, country: string): Promise<AnswerOf<'listBanks'>> =>
  api.listBanks({ params: { country } })

/** The banks of a country, for a select. */
export async function bankOptions(
  asks: Asks,
  country: string,
  none = 'Choose a bank',
): Promise<[string, string][]> {
  return [
    ['', none],
    ...(await banksOf(asks, country)).map(({ code, name }): [string, string] => [
      code,
      `${name} (${code})`,
    ]),
  ]
}

/** What a bank is called. */
export async function bankOf(asks: Asks, country: string, code: string): Promise<string | null> {
  return (await banksOf(asks, country)).find((one) => one.code === code)?.name ?? null
}
