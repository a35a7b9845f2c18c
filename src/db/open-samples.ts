import { statSync } from 'node:fs'
import { join } from 'node:path'
import { damageTranslator, describeOpening, type OnDamage } from './failures/damage.ts'
import { diskFailureOf } from './failures/disk-failure.ts'
import { type Connection, Database } from './sqlite.ts'
import { translateErrors } from './failures/translate-errors.ts'

const version = 1

/**
 * A chunk holds packed samples of one series; chunks of a series do not overlap, and `end_ms` is the time of the last sample. Newer
 * samples are in `log`, in order, until they are in a chunk: times and values (f64) and series ids (u32), one after the other. No
 * id is used twice, because the log may name a series that was removed. Triggers keep the size in bytes of each organization's
 * chunks in `chunk_bytes`.
 */
const schema = `
create table series (id integer primary key autoincrement, organization_id integer not null, labels text not null) strict;
create table chunks (
  series_id integer not null, start_ms integer not null, end_ms integer not null, samples blob not null,
  primary key (series_id, start_ms)
) strict, without rowid;
create index chunks_by_end on chunks (end_ms);
create table log (id integer primary key, samples blob not null) strict;
create table chunk_bytes (organization_id integer primary key, bytes integer not null) strict;
create trigger chunk_added after insert on chunks begin
  insert into chunk_bytes select organization_id, length(new.samples) from series where id = new.series_id
  on conflict do update set bytes = bytes + excluded.bytes;
end;
create trigger chunk_removed after delete on chunks begin
  update chunk_bytes set bytes = bytes - length(old.samples)
  where organization_id = (select organization_id from series where id = old.series_id);
end;
pragma user_version = ${version};`

type Options = {
  /** There has been a file in this folder: it is not created if it is missing or empty. */
  isExpected?: boolean
  check?: (file: Connection) => void
  /** Called each time that a statement meets damage; the statement throws `databaseDamaged`. */
  onDamage?: OnDamage
}

/** Files of earlier versions lack this trigger. Their `chunk_bytes` are right: these versions updated no chunk in place. */
const chunkChanged = `
create trigger if not exists chunk_changed after update of samples on chunks begin
  update chunk_bytes set bytes = bytes + length(new.samples) - length(old.samples)
  where organization_id = (select organization_id from series where id = new.series_id);
end;`

/** Tables of remote write, which files of earlier versions lack; `OutgoingFile` reads and writes them. */
const outgoing = `
create table if not exists sent (sent_to integer not null, trying_to integer not null) strict;
create table if not exists gaps (
  hour_ms integer not null, is_added integer not null, organization_id integer not null,
  from_ms integer not null, to_ms integer not null, samples integer not null,
  primary key (hour_ms, is_added, organization_id)
) strict, without rowid;`

/**
 * Opens (or creates) `samples.db` in the folder, which must exist and be locked by the caller. Errors, also those that `check`
 * throws, name the file.
 */
export function openSamples(
  dataDir: string,
  { isExpected = false, check = () => {}, onDamage = () => {} }: Options = {},
): Connection {
  const path = join(dataDir, 'samples.db')
  const exists = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
  try {
    if (isExpected && !exists) throw samplesLost()
    return translateErrors(prepareFile(new Database(path), isExpected, check), damageTranslator('samples.db', onDamage))
  } catch (cause) {
    throw describeOpening(path, diskFailureOf(cause, dataDir) ?? cause)
  }
}

/** Error for a missing file: a start without it would look as if nothing had ever been collected. */
function samplesLost(): Error {
  return new Error(
    `missing or empty, and nines.db beside it belongs to one: restore a backup into an empty folder, or ${startWithout}`,
  )
}

const startWithout = 'start once with nines serve --new-samples, which goes on without the past of the embedded source'

/** Throws if the file is another database than that of samples, or one that this nines does not know. */
export function assertSamples(file: Connection): void {
  const userVersion = file.pragma('user_version', { simple: true })
  if (userVersion === 0) return
  const hasTable = (name: string) => file.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined
  if (!hasTable('chunks')) {
    const isOther = hasTable('organizations') ? ', but looks like a nines.db' : ''
    throw new Error(
      `it does not hold the samples of nines${isOther}: restore a backup into an empty folder, or move it away with its -wal and ${startWithout}`,
    )
  }
  if (userVersion !== version) throw new Error(`written by another nines (version ${String(userVersion)})`)
}

function prepareFile(connection: Connection, isExpected: boolean, check: (file: Connection) => void): Connection {
  try {
    connection.pragma('page_size = 16384') // a chunk fits in a quarter; longer values would take pages of their own
    connection.pragma('auto_vacuum = INCREMENTAL')
    connection.pragma('journal_mode = WAL')
    connection.pragma('wal_autocheckpoint = 256') // pages, which are large
    connection.pragma('journal_size_limit = 4194304')
    connection.pragma('synchronous = FULL')
    connection.pragma('trusted_schema = OFF')
    connection.pragma('cache_size = -2000') // KiB; the 16 MB of this build by default save no CPU here
    const userVersion = connection.pragma('user_version', { simple: true })
    if (userVersion === 0 && isExpected) throw samplesLost()
    if (userVersion === 0) connection.transaction(() => connection.exec(schema))()
    assertSamples(connection)
    connection.exec(chunkChanged)
    connection.exec(outgoing)
    check(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The `nines.db` that samples belong to: its instance, and its organizations. */
export type Owner = { instanceId: string; organizationIds: number[] }

/**
 * Ties a file of samples to the `nines.db` beside it; throws if it is tied to another one. Removes series of organizations that
 * `nines.db` does not have, and returns their number: ids of organizations are small numbers, and an older `nines.db` would
 * assign them again.
 */
export function claimSamples(file: Connection, { instanceId, organizationIds }: Owner): number {
  return file.transaction(() => {
    file.exec('create table if not exists owner (instance_id text not null) strict')
    const storedId = file.prepare<[], string>('select instance_id from owner').pluck().get()
    if (storedId === undefined) file.prepare('insert into owner values (?)').run(instanceId)
    else if (storedId !== instanceId) {
      throw new Error(
        `it belongs to another nines.db (instance ${storedId}, not ${instanceId}): restore both from one backup, or move it away with its -wal`,
      )
    }
    return removeUnknown(file, organizationIds)
  })()
}

function removeUnknown(file: Connection, organizationIds: number[]): number {
  const isUnknown = 'organization_id not in (select value from json_each(?))'
  const ids = JSON.stringify(organizationIds)
  const isAny = file.prepare(`select 1 from series where ${isUnknown} limit 1`).get(ids) !== undefined
  if (!isAny) return 0
  file.prepare(`delete from chunks where series_id in (select id from series where ${isUnknown})`).run(ids)
  file.prepare(`delete from chunk_bytes where ${isUnknown}`).run(ids)
  return file.prepare(`delete from series where ${isUnknown}`).run(ids).changes
}
