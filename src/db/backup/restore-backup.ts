import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../data-folder/data-dir.ts'
import { unpackedArchive } from './archive-file.ts'
import { chunkBytes, clockRecordName, databaseNames, lastBackupName, secretNames, sumsName } from './parts.ts'
import { blockBytes, paddingBytes, readTarHeader, type TarEntry } from './tar.ts'

/** Exists in the data folder as long as a restore is incomplete. */
export const unfinishedName = 'restore.unfinished'

/** Names of the files of a backup, and when it was made, to the second. */
export type RestoredBackup = { names: string[]; atMs: number }

const maxTextBytes = 4096
const knownNames: string[] = [...secretNames, ...databaseNames]
/** Files beside a database or about a data folder, which a restore deletes. */
const companionNames = [
  ...databaseNames.flatMap((name) =>
    ['-wal', '-shm', '-journal', '-mark', '-mark.draft'].map((suffix) => `${name}${suffix}`),
  ),
  lastBackupName,
  clockRecordName,
]
const ignoredNames = ['nines.lock', 'lost+found', ...companionNames]

/** Throws if a data folder has anything except files that no database needs any more, or remains of a killed restore. */
export function assertEmpty(dataDir: string): void {
  if (!existsSync(dataDir)) return
  const names = readdirSync(dataDir)
  const isUnfinished = names.includes(unfinishedName) && !names.includes('nines.db')
  const allowed = new Set([...ignoredNames, ...(isUnfinished ? [unfinishedName, ...knownNames] : [])])
  const unexpected = names.find((name) => !allowed.has(name))
  if (unexpected !== undefined) {
    throw new Error(
      `the data folder ${dataDir} must be empty, and there is ${unexpected}: move it away, or set DATA_DIR`,
    )
  }
}

/**
 * Restores a backup into a data folder that is empty and locked by the caller. Puts no file in place before all of them are
 * verified, and `nines.db` last, because without it no server starts here.
 */
export async function restoreBackup(file: string, dataDir: string): Promise<RestoredBackup> {
  const folder = join(dataDir, unfinishedName)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  try {
    const restored = await unpack(file, folder)
    const { names } = restored
    for (const name of [...knownNames, ...companionNames]) rmSync(join(dataDir, name), { force: true })
    syncFolder(join(folder, 'nines.db'))
    for (const name of knownNames.filter((name) => names.includes(name) && name !== 'nines.db')) {
      renameSync(join(folder, name), join(dataDir, name))
    }
    syncFolder(join(dataDir, 'samples.db'))
    renameSync(join(folder, 'nines.db'), join(dataDir, 'nines.db'))
    syncFolder(join(dataDir, 'nines.db'))
    return restored
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes the files of a backup into a folder, synced to disk. Throws, naming the backup, unless all is as it was written. */
async function unpack(file: string, folder: string): Promise<RestoredBackup> {
  let archive: FileHandle | undefined
  try {
    const unpacked = join(folder, 'backup.tar')
    archive = await open(await unpackedArchive(file, unpacked))
    rmSync(unpacked, { force: true }) // the open file stays readable until it is closed
    const sums = new Map<string, string>()
    for (let position = 0; ;) {
      const entry = readTarHeader(await readWhole(archive, position, blockBytes))
      if (entry === null) throw new Error(`it ends without ${sumsName}`)
      position += blockBytes
      if (entry.name === sumsName) {
        return { names: await verify(archive, position, entry, sums), atMs: entry.modifiedMs }
      }
      if (!knownNames.includes(entry.name) || sums.has(entry.name))
        throw new Error(`there is no place for ${entry.name}`)
      sums.set(entry.name, await copyOut(archive, position, entry, join(folder, entry.name)))
      position += entry.size
      position += await skipZeros(archive, position, paddingBytes(entry.size))
    }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${file} is not a backup of nines, or is damaged: ${problem}; nothing has been restored`, { cause })
  } finally {
    await archive?.close()
  }
}

async function copyOut(archive: FileHandle, from: number, { size }: TarEntry, path: string): Promise<string> {
  const hash = createHash('sha256')
  const target = await open(path, 'wx', 0o600)
  try {
    for (let done = 0; done < size;) {
      const chunk = await readWhole(archive, from + done, Math.min(chunkBytes, size - done))
      hash.update(chunk)
      await writeFile(target, chunk)
      done += chunk.length
    }
    await target.sync()
  } finally {
    await target.close()
  }
  return hash.digest('hex')
}

async function verify(
  archive: FileHandle,
  position: number,
  { size }: TarEntry,
  sums: Map<string, string>,
): Promise<string[]> {
  const names = [...sums.keys()]
  const expected = names.map((name) => `${sums.get(name)}  ${name}\n`).join('')
  const written = await readWhole(archive, position, Math.min(size, maxTextBytes))
  if (written.toString('latin1') !== expected) throw new Error(`${sumsName} does not fit the contents`)
  if (!names.includes('nines.db')) throw new Error('nines.db is missing')
  await skipZeros(archive, position + size, paddingBytes(size) + 2 * blockBytes)
  return names
}

async function skipZeros(archive: FileHandle, position: number, length: number): Promise<number> {
  const zeros = await readWhole(archive, position, length)
  if (zeros.some((byte) => byte !== 0)) throw new Error('there is something where nothing has to be')
  return length
}

async function readWhole(archive: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  for (let done = 0; done < length;) {
    const { bytesRead } = await archive.read(buffer, done, length - done, position + done)
    if (bytesRead === 0) throw new Error('it is cut off')
    done += bytesRead
  }
  return buffer
}
