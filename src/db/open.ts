import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import schema from '../../schema.sql' with { type: 'text' }
import { type Clock, stopwatch as systemStopwatch } from '../clock.ts'
import { defaultQuotas, quotaExceeded, type QuotaName, type Quotas } from '../quotas.ts'
import { databaseLocked, isBusy } from './failures/constraints.ts'
import { damageTranslator, describeOpening, type OnDamage } from './failures/damage.ts'
import { assertFilesOnWrite, watchFiles } from './data-folder/database-files.ts'
import { type DiskFailure, diskFailureOf } from './failures/disk-failure.ts'
import { createLockRetry } from './failures/lock-retry.ts'
import { type Migrated, type Migration, migrate, migrations, versionOf } from './migrations.ts'
import { createRowQuotas, enforceQuotas, refusedQuota, type RowQuotas } from './quotas.ts'
import { assertShape } from './shape.ts'
import { type SloChanges, trackSloChanges } from './slo-changes.ts'
import { type Connection, Database as Sqlite } from './sqlite.ts'
import { withStatementCache } from './statement-cache.ts'
import { withDirectExecutor } from './statements/executor.ts'
import { lockWaitingDialect } from './statements/lock-waiting.ts'
import type { Tables } from './tables/tables.ts'
import { type CommitMark, type CommitMarkDeps, openCommitMark } from './data-folder/commit-mark.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { translateErrors } from './failures/translate-errors.ts'

/** Database parameter of store functions: `read` or `write` of a `Database`, or a transaction. */
export type Db = Kysely<Tables>

/**
 * `write` is the only connection that changes anything. Changes of several statements are its transactions, in which nothing
 * but SQL is awaited; use `groupCommit` for many at the same time. A row beyond a quota of its organization is refused with
 * `conflict`. `read` sees committed state only and never waits for a transaction. `close` lets a transaction that has begun
 * end; any later use fails.
 */
export type Database = {
  read: Db
  write: Db
  groupCommit: GroupCommit
  quotas: RowQuotas
  /** Changes once any connection has committed something: `read` may then read something else. */
  version(): number
  /** Tracks the SLOs that were written to. */
  sloChanges: SloChanges
  /** Changes once `write` was used: data of this process may then have changed. Costs nothing. */
  uses(): number
  /** True if another process has changed something since the last call. */
  changedByOthers(): boolean
  /**
   * Prepares statements on the writing connection, for the start: they throw SQLite's errors untranslated, and are not counted by
   * `uses`.
   */
  prepare: Connection['prepare']
  /** Opens the mark, which reads the noted commits; see `CommitMark`. */
  openMark(deps: MarkDeps): CommitMark
  /** Throws `DiskFailure` if files of the database were moved, removed or replaced. Each write then throws it too. */
  assertInPlace(): void
  close(): Promise<void>
}

type MarkDeps = Pick<CommitMarkDeps, 'clock' | 'stopwatch' | 'bootId' | 'isCut'>

type Options = {
  dataDir: string
  steps?: Migration[]
  quotas?: Quotas
  /** Measures how long another process has held the lock. */
  stopwatch?: Clock
  /** Called for each refusal because of a quota. */
  onRefused?: (name: QuotaName) => void
  /** Called for each write that the disk refused, or stored where a restart does not find it. */
  onDiskFailure?: (failure: DiskFailure) => void
  /** Called for each completed migration step. */
  onMigrated?: (step: Migrated) => void
  /** Called each time that a statement meets damage; the statement throws `databaseDamaged`. */
  onDamage?: OnDamage
}

/** Opens (or creates, or migrates) `nines.db` in the folder, which must exist, locked by the caller. Errors name the file. */
export function openDatabase({
  dataDir,
  steps = migrations,
  quotas = defaultQuotas,
  stopwatch = systemStopwatch,
  onRefused = () => {},
  onDiskFailure = () => {},
  onMigrated = () => {},
  onDamage = () => {},
}: Options): Database {
  const path = join(dataDir, 'nines.db')
  const writer = new Sqlite(path)
  try {
    connect(writer).pragma('journal_mode = WAL')
    assertShape(writer, versionOf(writer))
    migrate(writer, { dataDir, schema, steps, onMigrated })
    enforceQuotas(writer, quotas)
    writer.pragma('busy_timeout = 0')
  } catch (cause) {
    writer.close()
    throw describeOpening(path, diskFailureOf(cause, dataDir) ?? cause)
  }
  const reader = connect(new Sqlite(path, { readonly: true }))
  const version = watchVersion(reader)
  const translateDamage = damageTranslator('nines.db', onDamage)
  const translateWriterError = (error: unknown) => {
    if (isBusy(error)) return databaseLocked(error)
    const failure = diskFailureOf(error, dataDir)
    if (failure) {
      onDiskFailure(failure)
      return failure
    }
    const name = refusedQuota(error)
    if (!name) return translateDamage(error)
    onRefused(name)
    return quotaExceeded(name, quotas[name])
  }
  const prepare = writer.prepare.bind(writer) // bound before its errors are translated
  const files = watchFiles(writer)
  translateErrors(assertFilesOnWrite(writer, files), translateWriterError, version.invalidate)
  const sloChanges = trackSloChanges(writer)
  const prepared = withStatementCache(writer)
  const write = new Kysely<Tables>({
    dialect: lockWaitingDialect(prepared, { connection: writer, retry: createLockRetry(stopwatch) }),
  })
  const read = withDirectExecutor(withStatementCache(translateErrors(reader, translateDamage)), {
    yieldsWhenBusy: true,
  })
  return {
    read,
    write,
    groupCommit: createGroupCommit({ write, connection: writer, inside: withDirectExecutor(prepared) }),
    quotas: createRowQuotas({ read, quotas, onRefused }),
    version: version.now,
    sloChanges,
    uses: version.uses,
    changedByOthers: watchOtherWriters(writer),
    prepare,
    openMark: (deps) =>
      openCommitMark({
        path,
        prepare,
        exclusively: (work) => write.connection().execute(async () => work()),
        isInPlace: files.isInPlace,
        ...deps,
      }),
    assertInPlace: files.assert,
    async close() {
      await read.destroy()
      await write.connection().execute(async () => writer.close()) // last: it checkpoints the log into the database
      await write.destroy()
    },
  }
}

/** Writes the schema version again. Throws if the disk is full, missing or read-only, which only a write reveals. */
export async function tryWriting(write: Db): Promise<void> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(write)
  await sql`pragma user_version = ${sql.lit(rows[0]?.user_version ?? 0)}`.execute(write)
}

function connect(connection: Connection): Connection {
  connection.pragma('synchronous = FULL') // this build of SQLite reopens WAL databases with NORMAL
  connection.pragma('foreign_keys = ON')
  connection.pragma('trusted_schema = OFF')
  return connection
}

/** Returns a function that is true if another connection has changed the database since its last call, at first since now. */
function watchOtherWriters(writer: Connection): () => boolean {
  const read = () => writer.pragma('data_version', { simple: true })
  let lastVersion = read()
  return () => {
    const version = read()
    const hasChanged = version !== lastVersion
    lastVersion = version
    return hasChanged
  }
}

/**
 * `now` changes once any connection has committed something: `reader` may then read something else. SQLite is queried once per
 * turn of the event loop, so that commits of other processes show in the next one, and again after `invalidate`, which must be
 * called after each use of the writing connection. `uses`: number of those calls.
 */
function watchVersion(reader: Connection): { now(): number; uses(): number; invalidate(): void } {
  const statement = reader.prepare<[], number>('pragma data_version').pluck()
  let known: number | undefined
  let uses = 0
  const invalidate = () => {
    uses += 1
    known = undefined
  }
  return {
    now() {
      if (known !== undefined) return known
      setImmediate(() => (known = undefined))
      return (known = statement.get() ?? 0)
    },
    uses: () => uses,
    invalidate,
  }
}
