import type { Connection } from '../../src/db/sqlite.ts'

/** Name and SQL of everything in a database, without spacing, comments and other traces of how it was created. */
export function schemaIn(db: Connection): Record<string, string> {
  const rows = db
    .prepare<[], { name: string; sql: string }>(
      'SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name',
    )
    .all()
  return Object.fromEntries(rows.map(({ name, sql }) => [name, plain(sql)]))
}

function plain(sql: string): string {
  return sql
    .replace(/--[^\n]*/g, ' ')
    .replace(/"(\w+)"/g, '$1') // ALTER TABLE … RENAME quotes the name
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
}
