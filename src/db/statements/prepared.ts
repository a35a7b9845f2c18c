import { type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Db } from '../open.ts'

class Place {
  constructor(readonly name: PropertyKey) {}
}

type Places<Values> = { [Name in keyof Values]: RawBuilder<Values[Name]> }

/**
 * A query that is compiled at its first use: Kysely takes longer to compile one than SQLite to execute it. `make` gives it,
 * with the places of its parameters.
 */
export function prepared<Values extends object, Row = unknown>(make: (places: Places<Values>) => RawBuilder<Row>) {
  const places = new Proxy({} as Places<Values>, { get: (_, name) => sql`${new Place(name)}` })
  let compiled: CompiledQuery<Row> | undefined
  return (db: Db, values: Values): Promise<QueryResult<Row>> => {
    compiled ??= make(places).compile(db)
    const valueOf = (one: unknown) => (one instanceof Place ? values[one.name as keyof Values] : one)
    return db.executeQuery({ ...compiled, parameters: compiled.parameters.map(valueOf) })
  }
}
