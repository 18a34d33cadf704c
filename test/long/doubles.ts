/** Outside judges of the doubles: whether the models of clients by others accept what the doubles answer. */
import { join } from 'node:path'
import { findingsAt, type PlaceName } from '../support/assumptions.ts'
import { run } from '../support/python.ts'
import { type Check, has, root, sh } from './check.ts'

type Judged = [operation: string, accepted: boolean, why: string]
const judges = [
  { name: 'pypaystack2', install: 'pypaystack2==3.4.0', at: 'paystack' },
  { name: 'dojah', install: 'dojah-python-sdk==4.1.0', at: 'dojah' },
] as const

/** What a double answers to everything that a check asks, where it does not refuse, by method and path without ids. */
async function bodiesOf(place: PlaceName): Promise<[string, unknown][]> {
  const bodies: [string, unknown][] = []
  await findingsAt(place, [
    {
      on: /./,
      to(answer, line) {
        const [, operation = ''] = /^(\w+ (?:\/api\/[^? ]+|\/[a-z_/]*[a-z_](?![a-z_])))(?=[/? ])/.exec(line) ?? []
        if (answer.status < 300) bodies.push([operation, answer.body])
        return answer
      },
    },
  ])
  return bodies
}

export const doublesCheck: Check = {
  name: 'doubles',
  lacks: () => (has('python3') ? null : 'python3'),
  async run(dir) {
    const said: string[] = []
    for (const { name, install, at } of judges) {
      const python = join(dir, name, 'bin/python')
      await sh(`python3 -m venv ${name} && ${python} -m pip install -q --disable-pip-version-check ${install}`, dir)
      const script = join(root, 'test/support/python/judge_doubles.py')
      const { code, out, err } = await run(python, [script, name], JSON.stringify(await bodiesOf(at)))
      if (code !== 0) throw new Error(`${install} could not judge: ${err}`)
      const judged: Judged[] = JSON.parse(out)
      const lines = judged.map(([operation, accepted, why]) => `${operation.padEnd(44)} ${accepted ? 'accepted' : why}`)
      console.log(`\n${install}\n${[...new Set(lines)].join('\n')}`)
      said.push(`${install} accepts ${judged.filter(([, accepted]) => accepted).length} of ${judged.length}`)
    }
    return said.join('; ')
  },
}
