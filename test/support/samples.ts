/**
 * The samples of the guides: fenced blocks of Markdown. A step is the same in four languages, one
 * after the other, and what it answers may follow as JSON. Blocks marked `receiver` are programs of
 * their own.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

export const languages = ['sh', 'typescript', 'python', 'php'] as const
export type Language = (typeof languages)[number]

export type Step = {
  /** The same in each language. */
  text: Record<Language, string>
  isReceiver: boolean
  /** A part of what it answers; null where the guide does not show it. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON has every shape
  answer: any
}

export type Guide = { name: string; steps: Step[] }

/** Reads the guides. @throws {Error} where a step lacks a language */
export function readGuides(): Guide[] {
  return globSync('docs/guides/*.md')
    .sort()
    .map((file) => ({
      name: basename(file, '.md'),
      steps: stepsOf(file, readFileSync(file, 'utf8')),
    }))
}

function stepsOf(file: string, text: string): Step[] {
  const blocks = [...text.matchAll(/^```(\w+)(?: (\w+))?\n([\s\S]*?)\n```$/gm)].map((match) => ({
    language: match[1] as string,
    mark: match[2],
    text: match[3] as string,
    end: match.index + match[0].length,
    start: match.index,
  }))
  const steps: Step[] = []
  for (let i = 0; i < blocks.length; ) {
    const four = blocks.slice(i, i + languages.length)
    const found = four.map(({ language }) => language)
    if (found.join() !== languages.join())
      throw new Error(`${file}: a step has ${found.join(', ')}`)
    i += languages.length
    const shown = blocks[i]
    const answer = shown?.language === 'json' ? JSON.parse(shown.text) : null
    if (answer !== null) i++
    steps.push({
      text: Object.fromEntries(four.map((block) => [block.language, block.text])) as Step['text'],
      isReceiver: four[0]?.mark === 'receiver',
      answer,
    })
  }
  return steps
}
