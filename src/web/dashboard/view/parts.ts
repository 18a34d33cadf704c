/**
 * Small pieces that several pages share.
 */
import { type Html, html, type Part } from '../../../lib/html.ts'
import { randomText } from '../../../lib/secrets.ts'
import { withPresent } from '../regions.ts'
import { icons } from './icons.ts'
import { en, wordOf } from './strings.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'dim'

const tones: Record<Tone, readonly string[]> = {
  good: [
    'completed',
    'paid',
    'active',
    'succeeded',
    'verified',
    'delivered',
    'enabled',
    'approved',
    'released',
    'settled',
    'clean',
  ],
  bad: [
    'failed',
    'rejected',
    'declined',
    'past_due',
    'overdue',
    'refused',
    'uncollectible',
    'returned',
    'differs',
  ],
  warn: [
    'pending',
    'partially_paid',
    'partial',
    'underpaid',
    'review',
    'open',
    'waiting',
    'waits_for_approval',
    'held_by_screening',
    'unfinished',
  ],
  info: ['processing', 'initiated', 'finalized', 'sent', 'confirming', 'overpaid'],
  dim: [],
}

/** The tone of a status: whatever is not known is said without one. */
export function toneOf(status: string): Tone {
  const found = (Object.entries(tones) as [Tone, readonly string[]][]).find(([, statuses]) =>
    statuses.includes(status),
  )
  return found ? found[0] : 'dim'
}

/** A status in its colour, and in words. */
export const badge = (status: string, tone: Tone = toneOf(status), text = wordOf(status)): Html =>
  html`<span class="badge ${tone}">${text}</span>`

/** A box that says something. An error is read out at once. */
export function notice(tone: Tone, text: Part): Html {
  const icon =
    tone === 'good' ? icons.check : tone === 'info' || tone === 'dim' ? icons.info : icons.warning
  const role = tone === 'bad' ? html` role="alert"` : html` role="status"`
  return html`<div class="notice ${tone}"${role}>${icon}<div>${text}</div></div>`
}

/**
 * A message over the page about what was done. It can be closed, which loads the page without it,
 * and may have a form that undoes it.
 */
export const toast = (text: Part, { closes, undo }: { closes: string; undo?: Part }): Html =>
  html`<div class="notice good toast" role="status">${icons.check}<div>${text}</div>${undo}<a href="${closes}" aria-label="${en.closeMessage}">${icons.close}</a></div>`

/** One fact of a `<dl>`. */
export const fact = (label: Part, value: Part): Html =>
  html`<div><dt>${label}</dt><dd>${value === null || value === undefined || value === '' ? en.none : value}</dd></div>`

export const facts = (rows: readonly (Html | null | false)[]): Html =>
  html`<dl class="facts">${rows}</dl>`

/** A text that is to be typed or copied to the letter. */
export const code = (text: string): Html => html`<code>${text}</code>`

/** A field of a form: its name in the form and in the API's words, and how it is filled in. */
export type Field = {
  /**
   * Where its value stands in what the API is asked, such as `destination.bank_code`: refusals are
   * shown by it.
   */
  name: string
  label: string
  /** `percent`: basis points, typed as 7.5. */
  kind:
    | 'text'
    | 'money'
    | 'email'
    | 'number'
    | 'percent'
    | 'date'
    | 'area'
    | 'select'
    | 'check'
    | 'hidden'
    | 'choice'
    | 'password'
    | 'phone'
    | 'time'
    | 'color'
  hint?: string
  required?: boolean
  /** Fields of one group stand together, under its name. */
  group?: string
  /** What opens the groups of a form that most leave alone: closed until one is filled in. */
  fold?: string
  /** Left empty, it is cleared: null is sent. */
  clears?: true
  /** What a select offers; `choice`: other forms for the same, which are links. */
  options?: readonly (readonly [value: string, text: string])[]
  /** What is offered while somebody types; anything else can be typed too. */
  suggestions?: readonly string[]
  /** Shown in front of an amount. */
  prefix?: string
  /** What browsers may fill in. */
  autocomplete?: string
  maxLength?: number
  /** Of an area: a file of text may come in its place, as `{name}_file`. */
  file?: true
  /** How many lines an area shows. */
  rows?: number
}

/**
 * A field with its label, its hint and, when it is wrong, what is wrong with it. `plain`: nobody
 * needs to be told that it may stay empty.
 */
export function field(of: Field, value = '', error: string | null = null, plain = false): Html {
  const { name, kind, hint, label } = of
  const id = `f-${name.replaceAll('.', '-')}`
  if (kind === 'hidden') return html`<input type="hidden" name="${name}" value="${value}">`
  const described = [error !== null && `${id}-error`, hint !== undefined && `${id}-hint`]
    .filter(Boolean)
    .join(' ')
  const state = html` id="${id}" name="${name}"${described !== '' && html` aria-describedby="${described}"`}${
    error !== null && html` aria-invalid="true"`
  }${of.required === true && !of.file && html` required`}`
  const problem = error !== null && html`<p class="wrong" id="${id}-error">${error}</p>`
  const about = hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`
  if (kind === 'choice') {
    const chosen = of.options?.some(([key]) => key === value) ? value : (of.options?.[0]?.[0] ?? '')
    return html`<nav class="views" aria-label="${label}">${(of.options ?? []).map(
      ([key, text]) =>
        html`<a href="?${name}=${key}"${key === chosen && html` aria-current="page"`}>${text}</a>`,
    )}</nav><input type="hidden" name="${name}" value="${chosen}">`
  }
  if (kind === 'check')
    return html`<div class="field check"><label><input type="checkbox" value="true"${state}${value === 'true' && html` checked`}> ${label}</label>${about}${problem}</div>`
  const more = of.required !== true && !plain && html` <small>${en.optional}</small>`
  return html`<div class="field${error !== null && ' bad'}"><label for="${id}">${label}${more}</label>
${inputOf(of, value, state)}${about}${problem}</div>`
}

function inputOf(of: Field, value: string, state: Html): Html {
  const { kind, options = [], prefix, autocomplete = 'off', maxLength } = of
  const limits = html` autocomplete="${autocomplete}"${maxLength !== undefined && html` maxlength="${maxLength}"`}`
  if (kind === 'select')
    return html`<select${state}>${withPresent(options, value).map(
      ([key, text]) =>
        html`<option value="${key}"${key === value && html` selected`}>${text}</option>`,
    )}</select>`
  if (kind === 'area')
    return html`${of.file && fileFor(of)}<textarea rows="${of.rows ?? 3}"${state}${limits}>${value}</textarea>`
  const types = {
    text: 'text',
    money: 'text',
    email: 'email',
    number: 'text',
    percent: 'text',
    date: 'date',
    password: 'password',
    phone: 'tel',
    time: 'time',
    color: 'color',
  } as const
  const list = of.suggestions && `${of.name.replaceAll('.', '-')}-list`
  const mode =
    kind === 'money' || kind === 'percent' ? 'decimal' : kind === 'number' ? 'numeric' : null
  return html`<div class="input">${prefix !== undefined && html`<span aria-hidden="true">${prefix}</span>`}<input type="${
    types[kind as keyof typeof types]
  }" value="${value}"${mode && html` inputmode="${mode}"`}${list && html` list="${list}"`}${limits}${state}></div>${list && html`<datalist id="${list}">${of.suggestions?.map((text) => html`<option value="${text}"></option>`)}</datalist>`}`
}

/** Chooses a file, which is sent in place of the field's text. */
const fileFor = ({ name, label }: Field): Html =>
  html`<input type="file" name="${name}_file" accept=".csv,.txt,.xml,text/csv,text/plain,application/xml" aria-label="${label}">`

/** What a form with a file needs, and any other does without. */
export const withFiles = (fields: readonly Field[]): Part =>
  fields.some(({ file }) => file) && html` enctype="multipart/form-data"`

/**
 * The start of every form that changes something: the session's own text, without which it is
 * refused.
 */
export function form(csrf: string, action: string, content: Part, attributes: Part = ''): Html {
  return html`<form method="post" action="${action}"${attributes}><input type="hidden" name="csrf" value="${csrf}">${content}</form>`
}

/** The name of the box that chooses a record in a form. */
export const pickName = (key: string): string => `pick.${key}`

/** Returns the keys of the records that a form has chosen. */
export const pickedIn = (form: Readonly<Record<string, string>>): string[] =>
  Object.keys(form).flatMap((name) =>
    name.startsWith(pickName('')) && form[name] === 'true' ? [name.slice(pickName('').length)] : [],
  )

/** The key of a page that does something. */
export const keyInput = (): Html =>
  html`<input type="hidden" name="key" value="page-${randomText(24)}">`
