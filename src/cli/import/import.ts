import { parseArgs } from 'node:util'
import { openFiles } from '../../app/open-files.ts'
import { listOrganizations } from '../../auth/organizations/store.ts'
import { dayMs, stopwatch, systemClock } from '../../clock.ts'
import { type Config, readConfig } from '../../config.ts'
import { type Imported, importSamples, nothingImported } from '../../embedded/import-samples.ts'
import type { SampleStore } from '../../embedded/store/sample-store.ts'
import { AppError } from '../../errors.ts'
import { restartBackfills } from '../../evaluation/restart-backfills.ts'
import { createProgress, summarize } from './progress.ts'
import { lockExisting } from '../lock-existing.ts'
import { stopAtSignal } from '../stop-at-signal.ts'
import type { Settings } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'
import type { OrganizationRow } from '../../db/tables/tables.ts'
import { createReadStream, statSync } from 'node:fs'
import { addAbortSignal, pipeline } from 'node:stream'
import { createGunzip, type Gunzip } from 'node:zlib'

type ImportArgs = { file: string; organization: string | undefined }

/**
 * `nines import FILE.om`: imports samples of an OpenMetrics file into the embedded source of an organization, while no server
 * runs on the data folder. If it ends early, importing the same file again completes it.
 */
export async function importFile(args: string[], settings: Settings): Promise<number> {
  const parsed = readArgs(args)
  const config = readConfig(settings.env)
  process.umask(0o077) // like the server, which owns these files
  const lock = lockExisting(config.dataDir, 'the import')
  try {
    return await importInto(lock.dataDir, config, parsed)
  } finally {
    lock.release()
  }
}

async function importInto(dataDir: string, config: Config, { file, organization }: ImportArgs): Promise<number> {
  const { samples, db } = openFiles({ config, dataDir, clock: systemClock })
  try {
    const { id: organizationId, name } = chooseOrganization(await listOrganizations(db.read), organization)
    const stop = stopAtSignal()
    const input = openInput(file, stop.signal)
    const beganMs = stopwatch.now()
    const { imported, failure } = await importInput(input, {
      store: samples,
      organizationId,
      keepMs: config.samplesRetentionDays * dayMs,
    })
    const seconds = (stopwatch.now() - beganMs) / 1000
    const nowMs = systemClock.now()
    const slos = imported.samples > 0 ? await restartBackfills(db, organizationId, nowMs) : 0
    const usedBytes = samples.usedBytes()
    process.stdout.write(summarize({ imported, organization: name, seconds, slos, usedBytes, config }))
    if (failure === undefined) return 0
    const problem = stop.signal.aborted ? 'stopped' : reasonOf(failure)
    const advice = 'what has been imported stays, and it is safe to import the whole file again'
    process.stderr.write(`nines: ${file}: ${problem}; ${advice}\n`)
    return stop.exitCode() ?? 1
  } finally {
    samples.close()
    await db.close()
  }
}

type Target = { store: SampleStore; organizationId: number; keepMs: number }

/** Imports the input. Returns what was stored, and the failure that ended the import early, if any. */
async function importInput(
  { chunks, fractionRead }: Input,
  target: Target,
): Promise<{ imported: Imported; failure?: unknown }> {
  const columns = process.stderr.isTTY ? process.stderr.columns || 80 : undefined
  const progress = createProgress({ out: process.stderr, columns, stopwatch })
  let imported = nothingImported
  try {
    await importSamples({
      ...target,
      chunks,
      clock: systemClock,
      onProgress(soFar) {
        imported = soFar
        progress.show(soFar.samples, fractionRead())
      },
    })
    return { imported }
  } catch (failure) {
    return { imported, failure }
  } finally {
    progress.end()
  }
}

function readArgs(args: string[]): ImportArgs {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { organization: { type: 'string' } },
      allowPositionals: true,
    })
    const [file, ...others] = positionals
    if (file === undefined) throw new UsageError('import needs a FILE, or - for stdin')
    if (others.length > 0) throw new UsageError(`unknown argument "${others.join(' ')}"`)
    return { file, organization: values.organization }
  } catch (cause) {
    if (cause instanceof UsageError || !(cause instanceof TypeError)) throw cause
    throw new UsageError(cause.message.replace(/\. .*/, ''), { cause }) // without the advice about dashes
  }
}

function reasonOf(failure: unknown): string {
  if (failure instanceof AppError) return failure.details ?? failure.message
  return failure instanceof Error ? failure.message : String(failure)
}

type Organization = Pick<OrganizationRow, 'id' | 'name'>

const maxListed = 20

/**
 * Returns the organization with this id, or with this name if no id matches; without `name`, the only organization. Otherwise
 * throws an error that lists the candidates.
 */
export function chooseOrganization<T extends Organization>(all: T[], name: string | undefined): T {
  if (all.length === 0) throw new Error('there is no organization yet; start nines and register first')
  const [one, ...others] = name === undefined ? all : findAll(all, name)
  if (!one) throw new Error(`there is no organization "${name}", but ${namesOf(all)}`)
  if (others.length === 0) return one
  const how = name === undefined ? '--organization ID_OR_NAME' : '--organization ID'
  throw new Error(`say with ${how} which one of ${namesOf([one, ...others])}`)
}

function findAll<T extends Organization>(all: T[], text: string): T[] {
  const byId = all.filter(({ id }) => String(id) === text)
  return byId.length > 0 ? byId : all.filter(({ name }) => name === text)
}

function namesOf(organizations: Organization[]): string {
  const names = organizations.slice(0, maxListed).map(({ id, name }) => `${id} (${name})`)
  return [...names, ...(organizations.length > maxListed ? ['…'] : [])].join(', ')
}

/** `fractionRead`: undefined if the size of the input is unknown. */
type Input = { chunks: AsyncIterable<Uint8Array>; fractionRead(): number | undefined }

const chunkSize = 256 * 1024

/** Reads a file, decompressed if it ends in `.gz`, or stdin for `-`. Reading fails once `signal` aborts. */
function openInput(file: string, signal: AbortSignal): Input {
  if (file === '-') return { chunks: addAbortSignal(signal, process.stdin), fractionRead: () => undefined }
  const stats = statSync(file)
  if (stats.isDirectory()) throw new Error(`${file} is a directory`)
  const stream = createReadStream(file, { highWaterMark: chunkSize, signal })
  return {
    chunks: file.endsWith('.gz') ? pipeline(stream, decompressor(), () => {}) : stream,
    fractionRead: () => (stats.size > 0 ? Math.min(1, stream.bytesRead / stats.size) : undefined), // a pipe has no size
  }
}

/** Decompresses. The empty listener keeps an error from ending the process while nothing is being read; the next read throws it. */
function decompressor(): Gunzip {
  return createGunzip({ chunkSize }).on('error', () => {})
}
