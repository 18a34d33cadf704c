/**
 * A resource as a declaration: what a list, a page and the forms of one kind of record show and do.
 * The engines (`lists.ts`, `details.ts`, `acts.ts`) make the pages; what may be filtered by is what
 * the schema of its list takes.
 */
import type { OperationInput } from '../../core/route.ts'
import type { Part } from '../../lib/html.ts'
import type { Doc, Visit } from './place.ts'
import type { Field } from './view/parts.ts'
import type { en } from './view/strings.ts'

/** A visit that knows what customers are called. */
export type Seen = Visit & { nameOf(customer: string | null): Part }

export type Column = {
  title: string
  cell(doc: Doc, seen: Seen): Part
  /** Left out on phones. Such columns come last. */
  less?: true
  right?: true
}

export type Row = readonly [label: string, value: Part] | false | null

/** A part of a page that asks for more than the record; nothing is shown for false. */
export type Section = { title: string; content(doc: Doc, seen: Seen): Promise<Part> | Part }

/** What was typed into a form, by the names of its fields. */
export type Values = Record<string, string>

/** What of a form is asked of the operation: the body by the names of its fields. */
export type Draft = { doc: Doc; body: Doc; values: Values }

/** What a confirmation says will happen; `values` are kept for when it is confirmed. */
export type Foreseen = { lines: readonly Part[]; warnings?: readonly string[]; values?: Values }

/** Something that a person can do to a record, or to make one. */
export type Action = {
  /** In its path. */
  name: string
  title: string
  /** What the button says that does it, where the title would not. */
  confirm?: string
  operation: string
  danger?: true
  /** What a record in its state is mostly opened for: its button stands out. */
  leads?: true
  /** For trying out: it stands apart. */
  simulates?: true
  /** Whether the record's state allows it. The API has the last word. */
  when?(doc: Doc, seen: Visit): boolean
  fields?(seen: Visit, doc: Doc, values: Values): Promise<readonly Field[]> | readonly Field[]
  /** Fields that come again, as rows: `lines.0.product`. A row without `needs` is left out. */
  rows?: {
    name: string
    title: string
    needs: string
    least: number
    fields(seen: Visit, values: Values): Promise<readonly Field[]>
  }
  /** Its field whose text may come as a file, `{name}_file`. */
  takesFile?: string
  /** What the form begins with. */
  start?(doc: Doc, seen: Visit): Promise<Values> | Values
  /**
   * What the operation is asked. Default: the record's key, and the body as it is. @throws
   * {Refusal} with issues by field
   */
  input?(draft: Draft, seen: Visit): Promise<OperationInput> | OperationInput
  /** What will happen, in numbers. A form without it is sent as it is. */
  foresee?(draft: Draft, seen: Visit): Promise<Foreseen> | Foreseen
  /**
   * Its review fills in a field that the operation needs, such as a quote: before that, what is
   * asked is not whole.
   */
  fillsIn?: true
  /** What is said once it is done. */
  done: string
  /**
   * What of the answer is shown this once, by its name; null where it was shown before. The page
   * then stands in place of a redirect.
   */
  reveals?(answer: Doc): readonly (readonly [label: string, secret: string | null])[]
  /** What it reveals is looked at, and not kept: it can be asked for again. */
  looks?: true
  /** What is said in its place, where the record has come to something else. */
  ended?(doc: Doc): string | false
  /** The page that is shown then, below the mode. Default: the record's. */
  leadsTo?(answer: Doc, doc: Doc): string
  /** Fields that refusals with a code are about. */
  about?: Readonly<Record<string, string>>
}

export type Resource = {
  /** Where its pages are, below the mode. */
  path: string
  title: string
  /** In the middle of a sentence. */
  one: string
  more: string
  group: keyof typeof en.groups
  list: string
  get: string
  /** What `get` is asked with. */
  key: 'id' | 'reference'
  exports?: string
  /** What its search finds, where its list has one. */
  searches?: string
  /** The right without which its list and pages are nobody's. */
  needs?: string
  /** Nothing is told of what happened to its records. */
  untold?: true
  /** What filters that its schema leaves open are chosen from. */
  choices?(
    visit: Visit,
  ): Promise<Readonly<Record<string, readonly (readonly [value: string, text: string])[]>>>
  /** A filter whose values are tabs. */
  tabs?: string
  /** The first has the link. */
  columns: readonly Column[]
  /** Whether its records name customers that should be shown by name. */
  namesCustomers?: true
  /** Whether the page of a record is to be looked at again in a moment: something goes on there. */
  goesOn?(doc: Doc): boolean
  heading(doc: Doc, seen: Seen): Part
  /** What the page is called in the window's title. */
  called?(doc: Doc): string
  status?(doc: Doc): string
  rows(doc: Doc, seen: Seen): readonly Row[]
  sections?: readonly Section[]
  actions: readonly Action[]
  create?: Action
  /** What a person should know of its empty list. */
  about: string
}

/** Where a record's page is. */
export const hrefOf = (
  { base }: { base: string },
  { path, key }: Pick<Resource, 'path' | 'key'>,
  doc: Doc,
): string => `${base}/${path}/${encodeURIComponent(doc[key])}`
