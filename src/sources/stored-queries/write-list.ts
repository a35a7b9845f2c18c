import { boundedByBytes } from '../../concurrency/chunks.ts'
import type { Db } from '../../db/open.ts'
import { presentSourceQuery, SourceQuery } from './model.ts'
import { listSourceQueries } from './store.ts'

const fields = Object.keys(SourceQuery.properties) as (keyof typeof SourceQuery.properties)[]

/** The list of these queries as pieces of its JSON; they are read when their turn comes. */
export async function* writeSourceQueries(db: Db, sizes: { id: number; bytes: number }[]): AsyncGenerator<string> {
  yield '{"queries":['
  let total = 0
  for (const some of boundedByBytes(sizes, ({ bytes }) => bytes)) {
    for (const row of await listSourceQueries(
      db,
      some.map(({ id }) => id),
    )) {
      yield `${total === 0 ? '' : ','}${JSON.stringify(presentSourceQuery(row), fields)}`
      total += 1
    }
  }
  yield `],"total":${total}}`
}
