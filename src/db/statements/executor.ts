import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  Kysely,
  type KyselyPlugin,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDatabase,
  SqliteQueryCompiler,
  type UnknownRow,
} from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** Runs each statement in the turn of its call: Kysely's own way to a connection waits several times for each. */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #database: SqliteDatabase

  constructor(database: SqliteDatabase, plugins: KyselyPlugin[] = []) {
    super(new SqliteQueryCompiler(), new SqliteAdapter(), noConnections, plugins)
    this.#database = database
  }

  override withPlugin(plugin: KyselyPlugin): DirectExecutor {
    return new DirectExecutor(this.#database, [...this.plugins, plugin])
  }

  override async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    let result: QueryResult<UnknownRow> = this.#run(query)
    for (const plugin of this.plugins) result = await plugin.transformResult({ result, queryId: query.queryId })
    return result as QueryResult<Row>
  }

  #run({ sql, parameters }: CompiledQuery): QueryResult<UnknownRow> {
    const statement = this.#database.prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) as UnknownRow[] }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes) }
  }
}

const noConnections: ConnectionProvider = {
  provideConnection: () => Promise.reject(new Error('statements are run without a connection here')),
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
