/**
 * Outside judges of the doubles: whether models and schemas that others wrote accept what the
 * doubles answer.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { contractOf } from '../doubles/bridge/contract.ts'
import { findingsAt, type PlaceName } from '../support/assumptions.ts'
import { run } from '../support/python.ts'
import { type Check, has, root, sh } from './check.ts'

type Judged = [operation: string, accepted: boolean, why: string]
/**
 * An answer that its double gives where it does not refuse. Its operation is the method and the
 * path without ids.
 */
type Answer = { operation: string; method: string; path: string; status: number; body: unknown }
type Judge = {
  name: string
  at: PlaceName
  /** What is missing for it, or null. */
  lacks(): string | null
  /**
   * @param dir where it may install what it needs @throws {Error} when it cannot be installed, or
   * cannot judge
   */
  judge(dir: string, answers: Answer[]): Promise<Judged[]>
}

/** What a double answers to everything that `bursar rails check` asks. */
async function answersOf(place: PlaceName): Promise<Answer[]> {
  const answers: Answer[] = []
  await findingsAt(place, [
    {
      on: /./,
      to({ status, body }, line) {
        const [, operation = ''] =
          /^(\w+ (?:\/api\/[^? ]+|\/[a-z_/]*[a-z_](?![a-z_])))(?=[/? ])/.exec(line) ?? []
        const [, method = '', path = ''] = /^(\w+) ([^? ]+)/.exec(line) ?? []
        if (status < 300) answers.push({ operation, method, path, status, body })
        return { status, body }
      },
    },
  ])
  return answers
}

const bodiesOf = (answers: Answer[]): string =>
  JSON.stringify(answers.map(({ operation, body }) => [operation, body]))

/** Runs a judge that reads bodies and prints its judgement. */
async function judgeBy(program: string, args: string[], answers: Answer[]): Promise<Judged[]> {
  const { code, out, err } = await run(program, args, bodiesOf(answers))
  if (code !== 0) throw new Error(`${args.at(-1)} could not judge: ${err}`)
  return JSON.parse(out)
}

/** A client of Python's registry, whose models `judge_doubles.py` knows by `model`. */
const pythonClient = (install: string, model: string, at: PlaceName): Judge => ({
  name: install,
  at,
  lacks: () => (has('python3') ? null : 'python3'),
  async judge(dir, answers) {
    const python = join(dir, model, 'bin/python')
    await sh(
      `python3 -m venv ${model} && ${python} -m pip install -q --disable-pip-version-check ${install}`,
      dir,
    )
    return judgeBy(python, [join(root, 'test/support/python/judge_doubles.py'), model], answers)
  },
})

/** Judges each answer by the schema of its operation in an OpenAPI document. */
function judgeByDocument(file: string, answers: Answer[]): Judged[] {
  const problemsOf = contractOf(parse(readFileSync(file, 'utf8')), '')
  return answers.map(({ method, path, status, body }) => {
    const operation = `${method} ${path.replaceAll(/\/[^/]*\d[^/]*/g, '/{id}')}`
    const problems = problemsOf({ method, path, body: undefined, answer: { status, body } })
    const sentences = problems.map((one) =>
      one.replace(/^.*?response: |^.*?: /, '').replaceAll(/\/\d+(?=\/| )/g, '/*'),
    )
    return [operation, problems.length === 0, [...new Set(sentences)].join('; ')]
  })
}

const npmDocument = '@alexasomba/paystack-node@1.1.6'
/** The document of 2026-06, which no registry has: alexasomba/paystack-openapi at f371466. */
const savedDocument = 'paystack-2026-06.yaml'
const savedAt = join(process.env.PROVIDER_SPECS ?? '', savedDocument)

const judges: Judge[] = [
  pythonClient('pypaystack2==3.4.0', 'pypaystack2', 'paystack'),
  {
    name: npmDocument,
    at: 'paystack',
    lacks: () => (has('npm') ? null : 'npm'),
    async judge(dir, answers) {
      await sh(`npm install --ignore-scripts --no-save --prefix ${dir} ${npmDocument}`, dir)
      return judgeByDocument(
        join(dir, 'node_modules/@alexasomba/paystack-node/openapi.yaml'),
        answers,
      )
    },
  },
  {
    name: savedDocument,
    at: 'paystack',
    lacks: () =>
      process.env.PROVIDER_SPECS && existsSync(savedAt)
        ? null
        : `${savedDocument} where PROVIDER_SPECS points`,
    judge: async (_, answers) => judgeByDocument(savedAt, answers),
  },
  {
    name: 'com.monnify:monnify-java-sdk:1.1.0',
    at: 'monnify',
    lacks: () => (has('mvn') && has('javac') ? null : 'Maven and a JDK'),
    async judge(dir, answers) {
      const java = join(root, 'test/support/java')
      await sh(
        `mvn -B -ntp -q -f ${java}/pom.xml dependency:copy-dependencies -DoutputDirectory=${dir}/jars`,
        dir,
      )
      return judgeBy('java', ['-cp', `${dir}/jars/*`, join(java, 'JudgeDoubles.java')], answers)
    },
  },
  pythonClient('dojah-python-sdk==4.1.0', 'dojah', 'dojah'),
]

export const doublesCheck: Check = {
  name: 'doubles',
  lacks: () => (judges.some((judge) => judge.lacks() === null) ? null : 'python3, npm or Maven'),
  async run(dir) {
    const said: string[] = []
    for (const { name, at, lacks, judge } of judges) {
      const lacking = lacks()
      if (lacking !== null) {
        said.push(`${name} skipped: needs ${lacking}`)
        continue
      }
      const judged = await judge(dir, await answersOf(at)).catch(notInstalled)
      if (typeof judged === 'string') {
        said.push(`${name} skipped: ${judged}`)
        continue
      }
      const lines = judged.map(
        ([operation, accepted, why]) =>
          `${operation.padEnd(44)} ${accepted ? 'accepted' : 'rejected'}  ${why}`,
      )
      console.log(`\n${name}\n${[...new Set(lines)].join('\n')}`)
      said.push(
        `${name} accepts ${judged.filter(([, accepted]) => accepted).length} of ${judged.length}`,
      )
    }
    return said.join('; ')
  },
}

/** @returns why the registry does not give a Java package @throws {Error} every other error */
function notInstalled(error: Error): string {
  const [line] =
    /Could not find artifact \S+ in \S+ \S+|\S+ was not found in [^\s)]+/.exec(error.message) ?? []
  if (line === undefined) throw error
  return line
}
