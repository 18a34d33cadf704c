import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { directionOf } from '../../../platform/mail/mail.ts'
import type { Language } from './model.ts'
import { languages, stringsFor } from './strings.ts'

type Word = string | ((...given: unknown[]) => string)

/** Every word of a language by its place. */
function wordsOf(value: unknown, path = ''): [string, Word][] {
  if (typeof value === 'string' || typeof value === 'function') return [[path, value as Word]]
  assert.ok(typeof value === 'object' && value !== null, path)
  return Object.entries(value).flatMap(([key, word]) =>
    wordsOf(word, path === '' ? key : `${path}.${key}`),
  )
}

/**
 * What is the same in every language: names, examples of what is typed, digits, and what a page is
 * made of.
 */
const common = new Set([
  'locale',
  'dir',
  'card.numberExample',
  'card.cvcExample',
  'each',
  'titled',
  'crypto.rate',
  'receipt.line',
  ...[0, 1, 2, 3].map((i) => `test.numbers.${i}.number`),
])
/** What French and English have in common. */
const french = new Set(['methods.crypto', 'total', 'done.date'])

const counts = [0, 1, 2, 3, 11, 59, 60, 61, 120, 3_600, 7_200, 86_400, 172_800, 604_800]

/** What a word says: with placeholders, or with counts where those are what it takes. */
function sayings(path: string, word: Word): string[] {
  if (typeof word === 'string') return [word]
  if (path === 'left' || path === 'items') return counts.map((count) => word(count))
  if (path === 'each') return [word(7, '‹1›')]
  if (path === 'taxed') return [word('‹0›', true), word('‹0›', false)]
  return [word(...[...Array(word.length).keys()].map((i) => `‹${i}›`))]
}
const placeholders = (text: string): string[] => (text.match(/‹\d›|\{\}/g) ?? []).toSorted()

const words = Object.fromEntries(
  Object.entries(languages).map(([language, all]) => [language, new Map(wordsOf(all))]),
) as Record<Language, Map<string, Word>>

describe('the words of the checkout', () => {
  for (const language of ['fr', 'ar'] as const)
    it(`are all there in ${language}, with the same placeholders, and none is left in English`, () => {
      assert.deepEqual([...words[language].keys()].toSorted(), [...words.en.keys()].toSorted())
      const left: string[] = []
      for (const [path, word] of words.en) {
        const other = words[language].get(path) as Word
        assert.equal(typeof other, typeof word, path)
        if (typeof word === 'function') assert.equal(other.length, word.length, path)
        const [said, says] = [sayings(path, word), sayings(path, other)]
        for (const [i, text] of says.entries()) {
          assert.notEqual(text.trim(), '', path)
          assert.doesNotMatch(text, /undefined|\[object|NaN/, path)
          assert.deepEqual(placeholders(text), placeholders(said[i] as string), path)
          if (text === said[i] && !common.has(path) && !(language === 'fr' && french.has(path)))
            left.push(path)
        }
      }
      assert.deepEqual(left, [])
    })

  it('run in mails the way they run on pages', () => {
    for (const [language, { dir }] of Object.entries(languages))
      assert.equal(directionOf(language), dir, language)
  })

  it('are written in the letters of their language', () => {
    for (const [path, word] of words.ar) {
      if (common.has(path)) continue
      // Names, addresses and abbreviations stay.
      const rest = sayings(path, word).map((text) =>
        text.replaceAll(/‹\d›|Bursar|PDF|https|name@example\.com|\{\}/g, ''),
      )
      for (const text of rest) assert.doesNotMatch(text, /[a-z]/i, `${path}: ${text}`)
    }
    // A space before a colon, a question mark and the like, which does not break.
    for (const [path, word] of words.fr)
      for (const text of sayings(path, word))
        assert.doesNotMatch(text, /[^\s\u00a0\u202f][?!;]|\w [:?!;]/, path)
  })

  it('agree with their number', () => {
    const { left, items } = languages.ar
    assert.deepEqual([1, 2, 3, 11, 100].map(items), [
      'صنف واحد',
      'صنفان',
      '3 أصناف',
      '11 صنفًا',
      '100 صنف',
    ])
    assert.equal(left(2 * 86_400), 'المتبقي: يومان')
    assert.deepEqual([0, 1, 2].map(languages.fr.items), ['0 article', '1 article', '2 articles'])
  })

  it('keep what is put into them from changing the order of a sentence', () => {
    const name = '\u2068Ada Stores\u2069'
    assert.equal(stringsFor('ar').payTo('Ada Stores'), `الدفع إلى ${name}`)
    assert.equal(stringsFor('ar').done.returnTo('Ada Stores'), `العودة إلى ${name}`)
    assert.equal(stringsFor('en').payTo('Ada Stores'), 'Pay Ada Stores')
    assert.equal(stringsFor('en').payTo('متجر آدا'), 'Pay \u2068متجر آدا\u2069')
  })
})
