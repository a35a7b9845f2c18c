import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import { inspectBackup, type InspectedBackup } from '../../db/backup/inspect-backup.ts'
import { assertEmpty } from '../../db/backup/restore-backup.ts'
import { currentVersion } from '../../db/migrations.ts'
import { freeBytes } from '../../db/rehearse-migration.ts'
import { formatBytes } from '../../status/format-bytes.ts'
import { nearestExisting } from '../doctor/folder-checks.ts'
import { clearProgress, showProgress } from '../progress.ts'

type Options = { dataDir: string; pointMs: number | null; json: boolean }

/**
 * Unpacks a backup into the temporary directory, and prints what a restore of it would put into the data folder, which stays as
 * it is. Returns exit code 1 if the restore, or the start after it, would be refused.
 */
export async function rehearseRestore(file: string, { dataDir, pointMs, json }: Options): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'nines-restore-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  try {
    showProgress(`reading ${file}`)
    const backup = await inspectBackup(file, folder)
    clearProgress()
    const bytesFree = freeBytes(nearestExisting(dataDir))
    const problems = [...problemsOf(dataDir), ...backup.problems, ...spaceProblem(backup.bytesNeeded, bytesFree)]
    const rehearsal = { file, dataDir, pointMs, backup, bytesFree, problems }
    process.stdout.write(json ? `${JSON.stringify(present(rehearsal), null, 2)}\n` : textOf(rehearsal))
    for (const problem of problems) process.stderr.write(`nines: it would be refused: ${problem}\n`)
    return problems.length === 0 ? 0 : 1
  } finally {
    clearProgress()
    remove()
  }
}

type Rehearsal = {
  file: string
  dataDir: string
  pointMs: number | null
  backup: InspectedBackup
  bytesFree: number
  problems: string[]
}

function problemsOf(dataDir: string): string[] {
  try {
    assertEmpty(dataDir)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

function spaceProblem(bytesNeeded: number, bytesFree: number): string[] {
  return bytesNeeded <= bytesFree ? [] : [`the data folder needs ${formatBytes(bytesNeeded - bytesFree)} more`]
}

function textOf({ file, dataDir, backup, bytesFree }: Rehearsal): string {
  const { atMs, files, schema, counts, bytesNeeded } = backup
  const start = schema === currentVersion ? 'as this nines has it' : `a start brings it to ${currentVersion}`
  const lines = [
    `${file}, as of ${isoTime(atMs)}, into ${dataDir}`,
    `  files: ${files.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(', ')}`,
    `  schema: version ${schema}${schema > currentVersion ? '' : `, ${start}`}`,
    ...(counts ? [`  organizations: ${counts.organizations}, accounts: ${counts.accounts}, SLOs: ${counts.slos}`] : []),
    `  space: ${formatBytes(bytesNeeded)} while it runs, ${formatBytes(bytesFree)} are free`,
    'nothing was changed',
  ]
  return `${lines.join('\n')}\n`
}

function present({ file, dataDir, pointMs, backup, bytesFree, problems }: Rehearsal) {
  const { atMs, files, schema, counts, bytesNeeded } = backup
  return {
    file,
    data_dir: dataDir,
    point: isoTimeOrNull(pointMs),
    created_at: isoTime(atMs),
    files: files.map(({ name, bytes }) => ({ name, size_bytes: bytes })),
    schema,
    current_schema: currentVersion,
    organizations: counts?.organizations ?? null,
    accounts: counts?.accounts ?? null,
    slos: counts?.slos ?? null,
    bytes_needed: bytesNeeded,
    bytes_free: bytesFree,
    problems,
  }
}
