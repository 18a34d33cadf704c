/** The types of the API's operations for code that calls them in process, such as pages. */
import type { Static, TSchema } from 'typebox'
import type { Ctx } from './outside.ts'
import type { OperationInput, Operations, RouteSchemas, TypedRoute } from './route.ts'

/** Every operation's route by its id. `app/modules.ts` fills it in from the modules. */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging adds to it
export interface OperationRoutes {}

export type OperationId = keyof OperationRoutes

/** A value after a round trip through JSON: amounts are numbers, times are texts. */
export type Json<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends bigint
    ? number
    : T extends Date
      ? string
      : T extends readonly (infer Item)[]
        ? Json<Item>[]
        : T extends object
          ? { [Name in keyof T]: Json<T[Name]> }
          : T

type SchemasOf<Id extends OperationId> =
  OperationRoutes[Id] extends TypedRoute<infer S extends RouteSchemas> ? S : never

type PartOf<S extends RouteSchemas, Part extends 'params' | 'query' | 'body'> =
  S extends Record<Part, infer Schema extends TSchema>
    ? object extends Static<Schema>
      ? { [_ in Part]?: Static<Schema> }
      : { [_ in Part]: Static<Schema> }
    : object

type InputBy<S extends RouteSchemas> = PartOf<S, 'params'> & PartOf<S, 'query'> & PartOf<S, 'body'>

/** The path parameters, query and body that an operation takes. */
export type InputOf<Id extends OperationId> = InputBy<SchemasOf<Id>>

/** The body that an operation takes. */
export type BodyOf<Id extends OperationId> =
  SchemasOf<Id> extends { body: infer Schema extends TSchema } ? Static<Schema> : object

/** The `data` of an operation's answer. */
export type AnswerOf<Id extends OperationId> = Json<Static<SchemasOf<Id>['data']>>

/** The operations as methods. A second call with the same key repeats the answer, as in the API. */
export type OperationClient = {
  [Id in OperationId]: object extends InputOf<Id>
    ? (input?: InputOf<Id>, key?: string) => Promise<AnswerOf<Id>>
    : (input: InputOf<Id>, key?: string) => Promise<AnswerOf<Id>>
}

/** Returns the operations as methods that call as the business and actor of `ctx`. */
export const clientOf = (operations: Pick<Operations, 'operate'>, ctx: Ctx): OperationClient =>
  new Proxy({} as OperationClient, {
    get: (_, id) => (input?: OperationInput, key?: string) =>
      operations.operate(ctx, String(id), input, key),
  })
