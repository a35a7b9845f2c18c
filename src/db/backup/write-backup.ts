import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../data-folder/data-dir.ts'
import { watchFiles } from '../data-folder/database-files.ts'
import { createSeal } from '../sealing/seal.ts'
import { type Connection, Database } from '../sqlite.ts'
import { compress, isCompressedName } from './archive-file.ts'
import { timeOfBackup } from './kept-backups.ts'
import { chunkBytes, databaseNames, secretNames, sumsName } from './parts.ts'
import { blockBytes, paddingBytes, tarHeader } from './tar.ts'

export type WrittenBackup = { bytes: number; names: string[] }

type Options = { dataDir: string; file: string; nowMs: number }

/**
 * Creates the folder where a backup of that name is assembled; `remove` deletes it with its contents. Throws if no file of that
 * name can be created, or if it would be in the data folder.
 */
export function prepareBackup({ dataDir, file }: Pick<Options, 'dataDir' | 'file'>): {
  folder: string
  remove(): void
} {
  const parent = dirname(file)
  const existing = statSync(file, { throwIfNoEntry: false })
  if (existing?.isDirectory()) throw new Error(`${file} is a folder; name a file in it`)
  if (existing && !existing.isFile()) throw new Error(`${file} is not a regular file, and a backup would replace it`)
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`there is no folder ${parent}`)
  if (realpathSync(parent) === realpathSync(dataDir)) {
    throw new Error(`${file} must not lie in the data folder, whose files it would replace or be lost with`)
  }
  removeLeftOvers(parent, basename(file))
  const folder = `${file}.part-${process.pid}`
  mkdirSync(folder, { mode: 0o700 })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Writes the databases and secrets of a data folder into one file: a tar archive of mode 600, put in place when it is complete;
 * compressed with zstd if its name ends with `.zst`. A server may run on the folder at the same time. `folder`: the one of
 * `prepareBackup`. `verify`: throws if the archive, which is not in place yet, is not right.
 */
export async function writeBackup(
  { dataDir, file, nowMs }: Options,
  folder: string,
  verify: (archive: string) => Promise<void> = async () => {},
): Promise<WrittenBackup> {
  const { databases, secrets } = await copyDatabases(dataDir, folder)
  const path = join(folder, 'backup.tar')
  const archive = await open(path, 'wx', 0o600)
  let bytes: number
  try {
    const sums: string[] = []
    for (const [name, text] of secrets) sums.push(await addText(archive, name, text, nowMs))
    for (const name of databases) {
      sums.push(await addFile(archive, name, join(folder, name), nowMs))
      rmSync(join(folder, name))
    }
    await addText(archive, sumsName, sums.join(''), nowMs)
    await archive.write(Buffer.alloc(2 * blockBytes))
    await archive.sync()
    bytes = (await archive.stat()).size
  } finally {
    await archive.close()
  }
  let completePath = path
  if (isCompressedName(file)) {
    completePath = `${path}.zst`
    bytes = await compress(path, completePath)
    rmSync(path)
  }
  await verify(completePath)
  renameSync(completePath, file)
  syncFolder(file)
  return { bytes, names: [...secrets.keys(), ...databases] }
}

/** Result of the copy: names of the databases, and texts of the secrets. */
type CopiedData = { databases: string[]; secrets: Map<string, string> }

const pagesPerBatch = 1024

/**
 * Copies the databases of a data folder into another folder, all as of one moment, whatever is written during the copy: each is
 * read in one transaction, which blocks no writer. Throws if a database is damaged, was moved, removed or replaced during the
 * copy, or if the secret does not fit it.
 */
async function copyDatabases(dataDir: string, into: string): Promise<CopiedData> {
  const databases = databaseNames.filter((name) => existsSync(join(dataDir, name)))
  const sources = new Map<string, Connection>()
  try {
    for (const name of databases) sources.set(name, openQueryOnly(join(dataDir, name)))
    for (const source of sources.values()) source.exec('begin; select 1 from sqlite_schema') // all begin before any is read
    const openedFiles = [...sources.values()].map(watchFiles)
    const secrets = readSecrets(dataDir)
    assertOwnSeal(sources.get('nines.db'), secrets.get('seal.secret'))
    for (const [name, source] of sources) await source.backup(join(into, name), { progress: () => pagesPerBatch })
    for (const name of databases) assertUndamaged(into, name)
    for (const files of openedFiles) files.assert() // otherwise the copy may be of files that are no longer in the folder
    return { databases, secrets }
  } finally {
    for (const source of sources.values()) source.close()
  }
}

function openQueryOnly(path: string): Connection {
  const connection = new Database(path, { fileMustExist: true })
  connection.pragma('query_only = ON')
  return connection
}

function readSecrets(dataDir: string): Map<string, string> {
  const present = secretNames.filter((name) => existsSync(join(dataDir, name)))
  return new Map(present.map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]))
}

/** Throws if the database is not sealed with the secret: a rotation replaces both, one after the other. */
function assertOwnSeal(db: Connection | undefined, secret: string | undefined): void {
  const keyId = db?.prepare<[], string>('select seal_key_id from instance').pluck().get()
  if (keyId === undefined) return
  if (secret !== undefined && createSeal(Buffer.from(secret.trim(), 'hex')).keyId === keyId) return
  throw new Error(
    secret === undefined
      ? 'seal.secret is missing, with which nines.db is sealed'
      : 'seal.secret is not the one that nines.db is sealed with; where it is being rotated, start again afterwards',
  )
}

function assertUndamaged(folder: string, name: string): void {
  const copy = new Database(join(folder, name))
  try {
    const report = copy.pragma('quick_check(1)', { simple: true })
    if (report !== 'ok') throw new Error(String(report))
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${name} is damaged, and earlier backups are better: ${problem}`, { cause })
  } finally {
    copy.close()
  }
}

async function addText(archive: FileHandle, name: string, text: string, nowMs: number): Promise<string> {
  const contents = Buffer.from(text)
  await archive.write(tarHeader({ name, size: contents.length }, nowMs))
  await archive.write(Buffer.concat([contents, Buffer.alloc(paddingBytes(contents.length))]))
  return sumLine(createHash('sha256').update(contents).digest('hex'), name)
}

async function addFile(archive: FileHandle, name: string, path: string, nowMs: number): Promise<string> {
  const source = await open(path)
  try {
    const { size } = await source.stat()
    await archive.write(tarHeader({ name, size }, nowMs))
    const hash = createHash('sha256')
    const buffer = Buffer.alloc(chunkBytes)
    for (let position = 0; position < size;) {
      const { bytesRead } = await source.read(buffer, 0, Math.min(chunkBytes, size - position), position)
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
      const chunk = buffer.subarray(0, bytesRead)
      hash.update(chunk)
      await archive.writeFile(chunk)
      position += bytesRead
    }
    await archive.write(Buffer.alloc(paddingBytes(size)))
    return sumLine(hash.digest('hex'), name)
  } finally {
    await source.close()
  }
}

function sumLine(digest: string, name: string): string {
  return `${digest}  ${name}\n`
}

/**
 * Deletes remains of killed backups of the same name; if `file` has the name of a scheduled backup, those of any scheduled
 * backup.
 */
function removeLeftOvers(parent: string, file: string): void {
  for (const name of readdirSync(parent)) {
    const [, backup = '', pid = ''] = /^(.+)\.part-(\d+)$/.exec(name) ?? []
    const isOurs = backup === file || (timeOfBackup(file) !== null && timeOfBackup(backup) !== null)
    if (isOurs && !isRunning(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return pid !== process.pid // an earlier process had the id of this one
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
