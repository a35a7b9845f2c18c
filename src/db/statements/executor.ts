import { stopwatch } from '../../clock.ts'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
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

/** Time, in ms, for statements and the work between them in one turn of the event loop before others wait for the next. */
const turnMs = 10

/** Time at which the first statement of the present turn began. */
let beganMs: number | undefined

/** True if statements, and the work between them, have taken long in this turn of the event loop. */
export function isTurnOver(): boolean {
  const nowMs = stopwatch.now()
  if (beganMs !== undefined) return nowMs - beganMs > turnMs
  beganMs = nowMs
  setImmediate(() => (beganMs = undefined))
  return false
}

type Waits = { yieldsWhenBusy: boolean }

/** Runs each statement in the turn of its call: Kysely's own path to a connection waits several times for each. */
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
    while (this.#waits.yieldsWhenBusy && isTurnOver()) await yieldToEventLoop()
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
 * Statements on a connection that wait for nothing, not even for a transaction that is open on it: for a connection without
 * transactions, and inside one. `yieldsWhenBusy`: if statements have taken long in one turn of the event loop, as those of many
 * simultaneous requests do, the next ones run in later turns.
 */
export function withDirectExecutor(database: SqliteDatabase, waits: Waits = { yieldsWhenBusy: false }): Kysely<Tables> {
  const dialect = new SqliteDialect({ database })
  const driver = Object.assign(dialect.createDriver(), { destroy: async () => database.close() })
  return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor: new DirectExecutor(database, waits) })
}
