/**
 * The owner role migrates and owns the tables; the serving role may only read and write rows. Its
 * privileges are derived from the existing tables, so migrations grant nothing.
 *
 * - every table: select, insert, update, delete
 * - less what a trigger with a function named `refuse_…` rejects: no update or delete of
 *   append-only tables; where it rejects changes of some columns, update of the others
 * - the record of migrations and the base of event positions: select only
 * - every function and sequence; truncate, trigger, references and maintain are revoked
 *
 * Tables of other owners in the schema are ignored. graphile-worker's schema is included: its
 * tables have row security without a policy, so the serving role gets a policy for all rows.
 */
import type { newClient } from '../db.ts'

type Client = Pick<ReturnType<typeof newClient>, 'query'>

/**
 * `$1`: the serving roles. Each row is a missing or excess privilege, with the statement that fixes
 * it.
 */
const selectDifferences = `
with serving as (select oid, rolname from pg_roles where rolname = any($1::text[])),
ours as (select relowner as owner, relnamespace as schema from pg_class where oid = to_regclass('schema_migrations')),
schemas as (
  select n.oid, n.nspname, n.nspacl, n.nspowner, o.owner
    from pg_namespace n join ours o on n.oid = o.schema or n.nspname = 'graphile_worker'),
relations as (
  select c.oid, c.relkind, c.relacl, c.relowner, c.relrowsecurity, format('%I.%I', s.nspname, c.relname) as name,
         c.relname in ('schema_migrations', 'migrations', 'event_positions') as kept
    from pg_class c join schemas s on s.oid = c.relnamespace and s.owner = c.relowner
   where c.relkind in ('r', 'p', 'v', 'm', 'S')),
-- In pg_trigger, 2 is before, 8 delete, 16 update.
refused as (
  select t.tgrelid as relation, t.tgtype & 8 > 0 as deletes, t.tgtype & 16 > 0 as updates, t.tgattr::int2[] as columns,
         t.tgattr = '' as whole
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid
   where p.proname like 'refuse\\_%' and t.tgtype & 2 > 0 and t.tgqual is null),
wanted as (
  select r.oid, p.privilege, null::int2 as attnum
    from relations r
   cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) p (privilege)
   where r.relkind <> 'S'
     and (p.privilege = 'SELECT' or r.relkind in ('r', 'p') and not r.kept)
     and not exists (select from refused f
                      where f.relation = r.oid and (p.privilege = 'UPDATE' and f.updates or p.privilege = 'DELETE' and f.deletes))
  union all
  select r.oid, p.privilege, null
    from relations r cross join (values ('USAGE'), ('SELECT')) p (privilege)
   where r.relkind = 'S'
  union all
  select r.oid, 'UPDATE', a.attnum
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
   where exists (select from refused f where f.relation = r.oid and f.updates)
     and not exists (select from refused f
                      where f.relation = r.oid and f.updates and (f.whole or a.attnum = any (f.columns)))),
had as (
  select r.oid, e.privilege_type as privilege, null::int2 as attnum, e.grantee
    from relations r, aclexplode(r.relacl) e
  union all
  select r.oid, e.privilege_type, a.attnum, e.grantee
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped, aclexplode(a.attacl) e),
lacking as (
  select w.*, s.rolname
    from wanted w cross join serving s join relations r on r.oid = w.oid
   where not case when r.relkind = 'S' then has_sequence_privilege(s.oid, w.oid, w.privilege)
                  when w.attnum is null then has_table_privilege(s.oid, w.oid, w.privilege)
                  else has_column_privilege(s.oid, w.oid, w.attnum, w.privilege) end),
excess as (
  select h.oid, h.privilege, h.attnum, s.rolname
    from had h join serving s on s.oid = h.grantee join relations r on r.oid = h.oid
   where not pg_has_role(s.oid, r.relowner, 'MEMBER')
     and not exists (select from wanted w
                      where w.oid = h.oid and w.privilege = h.privilege and w.attnum is not distinct from h.attnum))
select false as lacking, format('revoke %s%s on %s from %I', e.privilege, ' (' || quote_ident(a.attname) || ')',
              case r.relkind when 'S' then 'sequence ' else '' end || r.name, e.rolname) as statement
  from excess e join relations r on r.oid = e.oid
  left join pg_attribute a on a.attrelid = e.oid and a.attnum = e.attnum
union all
select false, format('revoke create on schema %I from %I', n.nspname, s.rolname)
  from schemas n, aclexplode(n.nspacl) e join serving s on s.oid = e.grantee
 where e.privilege_type = 'CREATE' and not pg_has_role(s.oid, n.nspowner, 'MEMBER')
union all
select true, format('grant usage on schema %I to %I', n.nspname, s.rolname)
  from schemas n cross join serving s
 where not has_schema_privilege(s.oid, n.oid, 'USAGE')
union all
select true, format('grant %s%s on %s to %I', l.privilege, ' (' || quote_ident(a.attname) || ')',
              case r.relkind when 'S' then 'sequence ' else '' end || r.name, l.rolname)
  from lacking l join relations r on r.oid = l.oid
  left join pg_attribute a on a.attrelid = l.oid and a.attnum = l.attnum
union all
select true, format('grant execute on routine %s to %I', p.oid::regprocedure, s.rolname)
  from pg_proc p join schemas n on n.oid = p.pronamespace and n.owner = p.proowner cross join serving s
 where not has_function_privilege(s.oid, p.oid, 'EXECUTE')
union all
select true, format('create policy %I on %s to %I using (true) with check (true)', 'serves ' || s.rolname, r.name, s.rolname)
  from relations r cross join serving s
 where r.relrowsecurity and not pg_has_role(s.oid, r.relowner, 'MEMBER')
   and not exists (select from pg_policy p where p.polrelid = r.oid and s.oid = any (p.polroles))`

/** The other serving roles: those with grants. Only serving roles may insert postings. */
const selectServing = `
select distinct r.rolname as role
  from pg_class c, aclexplode(c.relacl) e join pg_roles r on r.oid = e.grantee
 where c.oid = to_regclass('ledger_postings') and e.privilege_type = 'INSERT' and not pg_has_role(r.oid, c.relowner, 'MEMBER')`

/**
 * Grants the serving roles what they need of the existing tables, and revokes the rest. Idempotent.
 * Run by the owner.
 * @param role a new serving role; existing ones are found
 */
export async function grantServing(client: Client, role: string | null): Promise<void> {
  const { rows: known } = await client.query<{ role: string }>(selectServing)
  const roles = [...known.map((row) => row.role), ...(role === null ? [] : [role])]
  if (roles.length === 0) return
  const { rows } = await client.query<{ statement: string }>(
    `${selectDifferences} order by lacking`,
    [roles],
  )
  // Revokes first: revoking a table privilege also revokes it on its columns.
  for (const { statement } of rows) await client.query(statement)
}

/** Returns the statements that grant what a role lacks to serve. */
export async function lackingPrivileges(client: Client, role: string): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select statement from (${selectDifferences}) d where lacking order by statement desc`,
    [[role]],
  )
  return rows.map(({ statement }) => statement)
}

export type Standing = {
  role: string
  /** Whether the database has none of our tables. */
  empty: boolean
  /** Whether the role may read the record of migrations. */
  reads: boolean
  /** Whether the role may migrate: it owns the tables, or may create them. */
  migrates: boolean
  /** Why the role could bypass the tables' protection; null if it only serves. */
  power: string | null
}

/** Returns the standing of this connection's role in its database. */
export async function standingOf(client: Client): Promise<Standing> {
  const { rows } = await client.query<Standing>(
    `select r.rolname as role, c.oid is null as empty,
            coalesce(has_table_privilege(c.oid, 'SELECT'), false) as reads,
            coalesce(pg_has_role(r.oid, c.relowner, 'MEMBER'),
                     has_schema_privilege(current_schema(), 'CREATE')
                       and has_database_privilege(current_database(), 'CREATE'), false) as migrates,
            case when r.rolsuper then 'is a superuser'
                 when pg_has_role(r.oid, c.relowner, 'MEMBER') then 'owns the tables'
                 when r.rolcreaterole then 'may create roles'
                 when has_schema_privilege(c.relnamespace, 'CREATE') then 'may create functions beside the tables' end as power
       from pg_roles r left join pg_class c on c.oid = to_regclass('schema_migrations')
      where r.rolname = current_user`,
  )
  return rows[0] as Standing
}
