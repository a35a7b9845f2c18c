import { setImmediate as nextTurn } from 'node:timers/promises'
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

/** Time that statements, and what is done between them, may take of one turn of the event loop before others wait for the next. */
const turnMs = 10

/** When the first statement of the present turn began. */
let beganMs: number | undefined

function isTurnOver(): boolean {
  const nowMs = performance.now()
  if (beganMs !== undefined) return nowMs - beganMs > turnMs
  beganMs = nowMs
  setImmediate(() => (beganMs = undefined))
  return false
}

type Waits = { waitsForTurn: boolean }

/** Runs each statement in the turn of its call: Kysely's own way to a connection waits several times for each. */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #database: SqliteDatabase
  readonly #waits: Waits

  constructor(database: SqliteDatabase, waits: Waits, plugins: KyselyPlugin[] = []) {
    super(new SqliteQueryCompiler(), new SqliteAdapter(), noConnections, plugins)
    this.#database = database
    this.#waits = waits
  }

  override withPlugin(plugin: KyselyPlugin): DirectExecutor {
    return new DirectExecutor(this.#database, this.#waits, [...this.plugins, plugin])
  }

  override async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    while (this.#waits.waitsForTurn && isTurnOver()) await nextTurn()
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
 * without any, and inside of one. `waitsForTurn`: where statements of one turn of the event loop have taken long, as those of many
 * requests at once do, the next ones are run in turns that follow.
 */
export function directly(database: SqliteDatabase, waits: Waits = { waitsForTurn: false }): Kysely<Tables> {
  const dialect = new SqliteDialect({ database })
  const driver = Object.assign(dialect.createDriver(), { destroy: async () => database.close() })
  return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor: new DirectExecutor(database, waits) })
}
