/**
 * Declares what the pages of one kind of record show and do. `lists.ts`, `details.ts` and `acts.ts`
 * make the pages; the schema of the list's operation gives the filters.
 */
import type { AnswerOf, BodyOf, InputOf, OperationId } from '../../core/operations.ts'
import type { OperationInput } from '../../core/route.ts'
import type { Part } from '../../lib/html.ts'
import type { Visit } from './place.ts'
import type { Needs } from './readiness.ts'
import type { Field } from './view/parts.ts'
import type { en } from './view/strings.ts'

/** What the pages read of a record of any resource. */
export type AnyRecord = {
  id: string
  created_at?: string
  updated_at?: string
  currency?: string
  reference?: string | null
  customer?: string | null
  metadata?: Readonly<Record<string, unknown>>
}

/** A visit that knows what customers are called. */
export type Seen = Visit & { nameOf(customer: string | null): Part }

export type Column<Shown = AnyRecord> = {
  title: string
  cell(doc: Shown, seen: Seen): Part
  /** Left out on phones. These columns come last. */
  less?: true
  right?: true
}

export type Row = readonly [label: string, value: Part] | false | null | undefined | ''

/** A part of a record's page that needs more than the record. False shows nothing. */
export type Section<Shown = AnyRecord> = {
  title: string
  content(doc: Shown, seen: Seen): Promise<Part> | Part
}

/** What was typed into a form, by the names of its fields. */
export type Values = Record<string, string>

/** A form that was read: its record, its body by the names of the fields, and the typed texts. */
export type Draft<Shown, Form> = { doc: Shown; body: Form; values: Values }

/** What a confirmation page shows. `values` are kept in the form that confirms. */
export type Foreseen = {
  lines: readonly Part[]
  warnings?: readonly string[]
  values?: Values
  /** It cannot be done as things stand, as the warnings say: there is no button for it. */
  blocked?: boolean
}

type ActionOf<Operation, Shown, Form, Input, Answer> = {
  /** The last part of its path. */
  name: string
  title: string
  /** The label of the button that does it, if the title would not do. */
  confirm?: string
  operation: Operation
  danger?: true
  /** What it is called where it is done to several records of the list at once. */
  bulk?: string
  /** Its button stands out: in this state, most people open the record for it. */
  leads?: true
  /** Its button stands in a section of the page, and not at the top. */
  placed?: true
  /** Only for trying out in test mode: shown apart. */
  simulates?: true
  /** Returns whether the record's state allows it. The API decides in the end. */
  when?(doc: Shown, seen: Visit): boolean
  /**
   * Returns what the form needs of the server. Where nothing of it is there, the page says so in
   * place of the form.
   */
  needs?(seen: Visit, doc: Shown): Needs
  /** What helps to fill in its form, shown above the fields. */
  intro?(seen: Visit, doc: Shown): Part
  fields?(seen: Visit, doc: Shown, values: Values): Promise<readonly Field[]> | readonly Field[]
  /** Repeated fields, as rows: `lines.0.product`. Rows without any field of `filledBy` are left out. */
  rows?: {
    name: string
    title: string
    about?: string
    filledBy: string | readonly string[]
    least: number
    fields(seen: Visit, values: Values): Promise<readonly Field[]>
  }
  /** Returns what the form comes to. With scripts, it follows what is typed. */
  total?(draft: Draft<Shown, Form>, seen: Visit): Promise<Part> | Part
  /** The field whose text may come as a file, `{name}_file`. */
  takesFile?: string
  /** The values that the form starts with. */
  start?(doc: Shown, seen: Visit): Promise<Values> | Values
  /**
   * Returns the operation's input. Default: the record's key, and the body as it is.
   * @throws {Refusal} with issues by field
   */
  input?(draft: Draft<Shown, Form>, seen: Visit): Promise<Input> | Input
  /** Returns what will happen, in numbers. Without it, the form is sent without confirmation. */
  foresee?(draft: Draft<Shown, Form>, seen: Visit): Promise<Foreseen> | Foreseen
  /** The confirmation fills in a required field, such as a quote, so the input is checked later. */
  fillsIn?: true
  /** The notice after it was done. */
  done: string
  /** The action of the same resource that undoes it, offered beside the notice. */
  undo?: string
  /**
   * Names the parts of the answer that are shown only once; null if they were shown before. The
   * page that shows them replaces the redirect.
   */
  reveals?(answer: Answer): readonly (readonly [label: string, secret: string | null])[]
  /** What it reveals is only looked at, and can be asked for again. */
  looks?: true
  /** Returns another notice if the record has moved on. */
  ended?(doc: Shown): string | false
  /** Returns the path of the page that follows, below the mode. Default: the record's page. */
  leadsTo?(answer: Answer, doc: Shown): string
  /** Maps codes of refusals to the fields that they are about. */
  about?: Readonly<Record<string, string>>
}

/** A record that is not there yet, in actions that create one. */
export type NoRecord = object

/**
 * Something that a person can do to a record, or to create one. `Form` is what its fields give; if
 * that is not the operation's body, `input` has to make it.
 */
export type Action<
  Operation extends OperationId,
  Shown = AnyRecord,
  Form = BodyOf<Operation>,
> = ActionOf<Operation, Shown, Form, InputOf<Operation>, AnswerOf<Operation>> &
  (Form extends BodyOf<Operation>
    ? unknown
    : {
        input(draft: Draft<Shown, Form>, seen: Visit): unknown
      })

/** An action as the pages of every resource take it. */
export type AnyAction = ActionOf<OperationId, unknown, unknown, OperationInput, unknown>

export type Resource<Shown = AnyRecord> = {
  /** The path of its pages, below the mode. */
  path: string
  title: string
  /** Its name in the middle of a sentence. */
  one: string
  more: string
  group: keyof typeof en.groups
  list: OperationId
  get: OperationId
  /** The parameter of `get`. */
  key: 'id' | 'reference'
  exports?: OperationId
  /** What its search finds, if its list has one. */
  searches?: string
  /** The right that its pages require. */
  right?: string
  /** Its records have no timeline. */
  untold?: true
  /** Returns the choices for filters that the schema leaves open. */
  choices?(
    visit: Visit,
  ): Promise<Readonly<Record<string, readonly (readonly [value: string, text: string])[]>>>
  /** The filter whose values are tabs. */
  tabs?: string
  /** Further tabs: a title, and the filter with its value. */
  moreTabs?: readonly (readonly [title: string, filter: string, value: string])[]
  /** Returns what stands above its list while that is not narrowed, such as a chart. */
  above?(visit: Visit): Promise<Part>
  /** The first column has the link. */
  columns: readonly Column<Shown>[]
  /** Its records name customers, which are shown by name. */
  namesCustomers?: true
  /** Returns whether something is under way, so that the page reloads itself. */
  goesOn?(doc: Shown): boolean
  heading(doc: Shown, seen: Seen): Part
  /** Returns the title of the window. */
  called?(doc: Shown): string
  status?(doc: Shown): string
  rows(doc: Shown, seen: Seen): readonly Row[]
  sections?: readonly Section<Shown>[]
  actions: readonly AnyAction[]
  /** Returns what can be done to it on pages of other records: path below the mode, and title. */
  elsewhere?(doc: Shown, seen: Visit): readonly (readonly [path: string, title: string])[]
  create?: AnyAction
  /** The text of its empty list. */
  about: string
}

/** Returns the path of a record's page. */
export const hrefOf = (
  { base }: { base: string },
  { path, key }: Pick<Resource, 'path' | 'key'>,
  doc: AnyRecord,
): string => `${base}/${path}/${encodeURIComponent(doc[key] ?? '')}`

/** Returns a function that types actions on one kind of record by their operation. */
export const actionsOn =
  <Shown>() =>
  <Operation extends OperationId>(action: Action<Operation, Shown>): Action<Operation, Shown> =>
    action

/** Types an action that creates a record by its operation. */
export const creation = actionsOn<NoRecord>()
