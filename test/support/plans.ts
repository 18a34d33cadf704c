/**
 * How much a statement reads under the worst plan that a connection may keep for it: the one made
 * while its table was empty.
 */
import { newClient, type Statement } from '../../src/db/db.ts'

/** A plan as `explain (analyze, format json)` says it. */
export type PlanNode = {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/**
 * Runs a statement, in a transaction that is undone, over a table that was empty when it was
 * planned.
 * @param fill inserts the rows that it finds
 * @param params as SQL
 * @returns how many rows it has touched, each as often as it has
 */
export async function rowsTouched(
  url: string,
  {
    table,
    types,
    statement,
    fill,
    params,
  }: { table: string; types: string; statement: Statement<unknown>; fill: string; params: string },
): Promise<number> {
  const client = newClient(url)
  await client.connect()
  try {
    await client.query('begin')
    await client.query(
      `create temporary table ${table} (like public.${table} including all) on commit drop`,
    )
    await client.query(`analyze ${table}`)
    await client.query('set local plan_cache_mode = force_generic_plan')
    await client.query(`prepare planned (${types}) as ${statement.text}`)
    await client.query(`execute planned (${params})`)
    await client.query(fill)
    const { rows } = await client.query(
      `explain (analyze, format json) execute planned (${params})`,
    )
    return touchedBy(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await client.end()
  }
}

function touchedBy(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
  const own = node['Actual Loops'] * (node['Actual Rows'] + removed)
  return (node.Plans ?? []).reduce((sum, below) => sum + touchedBy(below), own)
}

/** How many rows of some tables a plan has read, each as often as it has. */
export function readBy(node: PlanNode, tables: string[]): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = tables.includes(node['Relation Name'] ?? '')
    ? node['Actual Loops'] * (node['Actual Rows'] + removed)
    : 0
  return (node.Plans ?? []).reduce((sum, below) => sum + readBy(below, tables), own)
}
