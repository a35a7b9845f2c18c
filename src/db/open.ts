import { join } from 'node:path'
import { Kysely, sql, SqliteDialect } from 'kysely'
import schema from '../../schema.sql' with { type: 'text' }
import { defaultQuotas, quotaExceeded, type QuotaName, type Quotas } from '../quotas.ts'
import { databaseLocked, isBusy } from './failures/constraints.ts'
import { damageTranslator, describeOpening, type OnDamage } from './failures/damage.ts'
import { keepInPlace, watchPlaces } from './data-folder/places.ts'
import { type DiskFailure, diskFailureOf } from './failures/disk-failure.ts'
import { type Migrated, type Migration, migrate, migrations, versionOf } from './migrations.ts'
import { createRowQuotas, enforceQuotas, refusedQuota, type RowQuotas } from './quotas.ts'
import { assertShape } from './shape.ts'
import { type Connection, Database as Sqlite } from './sqlite.ts'
import { withStatementCache } from './statement-cache.ts'
import { directly } from './statements/executor.ts'
import type { Tables } from './tables/tables.ts'
import { type SloChanges, watchSlos } from './statements/watch-slos.ts'
import { watchVersion } from './statements/watch-version.ts'
import { type CommitMark, type CommitMarkDeps, openCommitMark } from './data-folder/commit-mark.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { translateErrors } from './failures/translate-errors.ts'

/** What a store function takes: one of the two sides below, or a transaction. */
export type Db = Kysely<Tables>

/**
 * `write` is the one connection that changes anything; multi-statement changes are its transactions, in which nothing but
 * SQL is awaited; many that come at once are better made with `groupCommit`. A row that is one too many for its organization is
 * refused with `conflict`. `read` sees committed state only and never waits for a transaction. `close` lets a transaction that
 * has begun end; whatever comes later fails.
 */
export type Database = {
  read: Db
  write: Db
  groupCommit: GroupCommit
  quotas: RowQuotas
  /** Another number than before once any connection has committed something: what `read` reads may be another. */
  version(): number
  /** Of which SLOs something has been written. */
  sloChanges: SloChanges
  /** Another number than before once `write` was used: what this process has changed may be another. Costs nothing. */
  uses(): number
  /** Whether another process has changed something since the last call. */
  changedByOthers(): boolean
  /** Reads what was noted of its commits; see `CommitMark`. */
  openMark(known: MarkDeps): CommitMark
  /** Throws `DiskFailure` where its files were moved, removed or replaced, as each write does then. */
  assertInPlace(): void
  close(): Promise<void>
}

type MarkDeps = Pick<CommitMarkDeps, 'clock' | 'stopwatch' | 'bootId' | 'isCut'>

type Options = {
  dataDir: string
  steps?: Migration[]
  quotas?: Quotas
  /** Called for each refusal for a quota. */
  onRefused?: (name: QuotaName) => void
  /** Called for each write that the disk refused, or took where a restart does not find it. */
  onDiskFailure?: (failure: DiskFailure) => void
  /** Called for each step that brought the database forward. */
  onMigrated?: (step: Migrated) => void
  /** Called each time that a statement meets damage, which throws `databaseDamaged`. */
  onDamage?: OnDamage
}

/** Opens (and makes, or migrates) `nines.db` in the folder, which must exist and be locked by the caller. Throws, naming it. */
export function openDatabase({
  dataDir,
  steps = migrations,
  quotas = defaultQuotas,
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
  } catch (cause) {
    writer.close()
    throw describeOpening(path, diskFailureOf(cause, dataDir) ?? cause)
  }
  const reader = connect(new Sqlite(path, { readonly: true }))
  const version = watchVersion(reader)
  const ofDamage = damageTranslator('nines.db', onDamage)
  const ofWriter = (error: unknown) => {
    if (isBusy(error)) return databaseLocked(error)
    const failure = diskFailureOf(error, dataDir)
    if (failure) {
      onDiskFailure(failure)
      return failure
    }
    const name = refusedQuota(error)
    if (!name) return ofDamage(error)
    onRefused(name)
    return quotaExceeded(name, quotas[name])
  }
  const prepare = writer.prepare.bind(writer) // as it is: a mark is no use of the writer that others need to know of
  const places = watchPlaces(writer)
  translateErrors(keepInPlace(writer, places), ofWriter, version.forget)
  const { watched, ...sloChanges } = watchSlos(writer)
  const prepared = withStatementCache(writer, watched)
  const write = new Kysely<Tables>({ dialect: new SqliteDialect({ database: prepared }) })
  const read = directly(withStatementCache(translateErrors(reader, ofDamage)), { waitsForTurn: true })
  return {
    read,
    write,
    groupCommit: createGroupCommit({ write, connection: writer, inside: directly(prepared) }),
    quotas: createRowQuotas({ read, quotas, onRefused }),
    version: version.now,
    sloChanges,
    uses: version.uses,
    changedByOthers: watchOtherWriters(writer),
    openMark: (known) =>
      openCommitMark({
        path,
        prepare,
        exclusively: (work) => write.connection().execute(async () => work()),
        isInPlace: places.isKept,
        ...known,
      }),
    assertInPlace: places.assert,
    async close() {
      await read.destroy()
      await write.connection().execute(async () => writer.close()) // last: it folds the log into the database
      await write.destroy()
    },
  }
}

/** Writes the schema version again: throws where the disk is full, missing or read-only, which a lock does not show. */
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

/** Gives whether another connection than this one has changed the database since the call before, at first since now. */
function watchOtherWriters(writer: Connection): () => boolean {
  const read = () => writer.pragma('data_version', { simple: true })
  let before = read()
  return () => {
    const version = read()
    const changed = version !== before
    before = version
    return changed
  }
}
