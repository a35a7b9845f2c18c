import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDatabase,
  SqliteQueryCompiler,
} from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** Runs each statement at once, where it stands: Kysely's own way to a connection waits several times for each. */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #database: SqliteDatabase

  constructor(database: SqliteDatabase) {
    super(new SqliteQueryCompiler(), new SqliteAdapter(), connectionTo(database))
    this.#database = database
  }

  override executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return run(this.#database, query)
  }
}

async function run<Row>(database: SqliteDatabase, { sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
  const statement = database.prepare(sql)
  if (statement.reader) return { rows: statement.all(parameters) as Row[] }
  const { changes, lastInsertRowid } = statement.run(parameters)
  return { rows: [], insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes) }
}

/** For what Kysely makes of the executor where plugins are added. */
function connectionTo(database: SqliteDatabase): ConnectionProvider {
  return {
    provideConnection: (consumer) =>
      consumer({
        executeQuery: (query) => run(database, query),
        streamQuery() {
          throw new Error('statements are not streamed here')
        },
      }),
  }
}

/**
 * Statements of one connection that wait for nothing, not even for a transaction that is open there: for a connection
 * without any, and inside of one.
 */
export function directly(database: SqliteDatabase): Kysely<Tables> {
  const dialect = new SqliteDialect({ database })
  const driver = Object.assign(dialect.createDriver(), { destroy: async () => database.close() })
  return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor: new DirectExecutor(database) })
}
