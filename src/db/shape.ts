import type { Connection } from './sqlite.ts'
import shapes from './shapes.json' with { type: 'json' }

/** A hash of the columns and indexes of each table of a schema version. `*`: of the SQL of all of them, by `sqlHashOf`. */
export type Shape = Record<string, string>

/** Shapes by schema version, as far as this nines has them. */
export const knownShapes: Record<number, Shape> = shapes

const advice =
  'start the nines that wrote it, or restore the last backup with `nines restore FILE` into an empty folder'

/**
 * Throws, naming the first table that differs, unless the tables of a database are those of its schema version: the number
 * alone does not distinguish lines of development. Other tables, such as those of a replication tool, are ignored.
 */
export function assertShape(db: Connection, version: number, known = knownShapes): void {
  const expected = known[version]
  if (expected === undefined) return
  const { '*': sqlHash, ...tables } = expected
  const names = Object.keys(tables)
  if (sqlHash === sqlHashOf(db, names)) return // takes a tenth of the time
  const actual = shapeOf(db, names)
  for (const [table, hash] of Object.entries(tables)) {
    if (actual[table] === hash) continue
    const problem = actual[table] === undefined ? 'is missing' : 'has other columns or indexes than this nines knows'
    throw new Error(
      `table ${table} of schema version ${version} ${problem}: the database was changed by something else, or written by another line of development; ${advice}`,
    )
  }
}

/** Shapes of the named tables that a database has. The text of their SQL makes no difference. */
export function shapeOf(db: Connection, names: string[]): Shape {
  const tables = db.prepare<[string], [name: string, parts: string]>(partsOfTables).raw().all(JSON.stringify(names))
  return Object.fromEntries(tables.map(([name, parts]) => [name, Bun.hash(parts).toString(16)]))
}

/** A hash of the SQL of the named tables and their indexes: where it is equal, their shapes are. */
export function sqlHashOf(db: Connection, names: string[]): string {
  const sql = db.prepare<[string], string | null>(sqlOfTables).pluck().get(JSON.stringify(names))
  return Bun.hash(sql ?? '').toString(16)
}

const sqlOfTables = `
select group_concat(sql, ';' order by name) from sqlite_schema
where type in ('table', 'index') and tbl_name in (select value from json_each(?))`

/** A single statement, because a row for each column would cost three times as much. */
const partsOfTables = `
select t.name, concat_ws(' ',
  (select group_concat(concat_ws(' ', c.name, c.type, c."notnull", quote(c.dflt_value), c.pk, c.hidden) order by c.cid)
   from pragma_table_xinfo(t.name) c),
  (select group_concat(
     concat_ws(' ', i.name, i."unique", i.origin, i.partial, quote(x.name), x."desc", x.coll, x.key) order by i.name, x.seqno)
   from pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x))
from sqlite_schema t where t.type = 'table' and t.name in (select value from json_each(?))`
