import { type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Db } from '../open.ts'

class Placeholder {
  constructor(readonly name: PropertyKey) {}
}

type Placeholders<Values> = { [Name in keyof Values]: RawBuilder<Values[Name]> }

/**
 * A query that is compiled at its first use: Kysely takes longer to compile a query than SQLite to execute it. `make` builds it
 * from a placeholder for each parameter.
 */
export function prepared<Values extends object, Row = unknown>(
  make: (placeholders: Placeholders<Values>) => RawBuilder<Row>,
) {
  const placeholders = new Proxy({} as Placeholders<Values>, { get: (_, name) => sql`${new Placeholder(name)}` })
  let compiled: CompiledQuery<Row> | undefined
  return (db: Db, values: Values): Promise<QueryResult<Row>> => {
    compiled ??= make(placeholders).compile(db)
    const valueOf = (one: unknown) => (one instanceof Placeholder ? values[one.name as keyof Values] : one)
    return db.executeQuery({ ...compiled, parameters: compiled.parameters.map(valueOf) })
  }
}
