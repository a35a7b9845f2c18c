import { statSync } from 'node:fs'
import { join } from 'node:path'
import { versionOf } from '../migrations.ts'
import { Database } from '../sqlite.ts'
import { isCompressedFile } from './archive-file.ts'
import { restoreBackup } from './restore-backup.ts'
import { verifyFolder } from './verify-backup.ts'

/**
 * Contents of a backup. `counts`: null where its database cannot be read. `bytesNeeded`: space that a restore takes while it runs.
 * `problems`: what would keep nines from starting with it.
 */
export type InspectedBackup = {
  atMs: number
  files: { name: string; bytes: number }[]
  schema: number
  counts: { organizations: number; accounts: number; slos: number } | null
  bytesNeeded: number
  problems: string[]
}

/** Unpacks a backup into an empty folder, which the caller removes, and reads it whole. Throws if it is damaged. */
export async function inspectBackup(file: string, folder: string): Promise<InspectedBackup> {
  const { names, atMs } = await restoreBackup(file, folder)
  const files = names.map((name) => ({ name, bytes: statSync(join(folder, name)).size }))
  const bytes = files.reduce((sum, one) => sum + one.bytes, 0)
  const wrong = verifyFolder(folder).filter(({ problem }) => problem !== null)
  const problems = wrong.map(({ name, problem }) => `${name} of the backup: ${problem}`)
  const bytesNeeded = (await isCompressedFile(file)) ? 2 * bytes : bytes // a compressed backup is first unpacked as a whole
  return { atMs, files, ...readDatabase(join(folder, 'nines.db')), bytesNeeded, problems }
}

function readDatabase(path: string): Pick<InspectedBackup, 'schema' | 'counts'> {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  const count = (from: string) => db.prepare<[], number>(`select count(*) from ${from}`).pluck().get() ?? 0
  try {
    const [organizations, accounts, slos] = ['organizations', 'users', 'slos where active = 1'].map(count)
    const counts = { organizations: organizations ?? 0, accounts: accounts ?? 0, slos: slos ?? 0 }
    return { schema: versionOf(db), counts }
  } catch {
    return { schema: versionOf(db), counts: null } // damaged or of another schema, which the problems say
  } finally {
    db.close()
  }
}
