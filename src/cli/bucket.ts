import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type Bucket, BucketError, openBucket } from '../app/backups/bucket.ts'
import { openOutbound } from '../app/outbound.ts'
import { systemClock } from '../clock.ts'
import { type Config, readConfig } from '../config.ts'
import { clearProxyEnvironment, startFetching } from '../http/outbound/outbound.ts'
import { formatBytes } from '../status/format-bytes.ts'
import { clearProgress, showProgress } from './progress.ts'
import type { Settings } from './settings/settings.ts'
import { stopAtSignal } from './stop-at-signal.ts'
import { UsageError } from './usage-error.ts'

/** `nines bucket list|get NAME [FILE]|put FILE`: the copies of backups in the bucket of `BACKUP_S3_URL`. */
export async function bucket([action, ...args]: string[], settings: Settings): Promise<number> {
  const command = readCommand(action, args)
  const opened = await openConfiguredBucket(readConfig(settings.env))
  if (opened === null) throw new Error('there is no bucket; set BACKUP_S3_URL')
  process.umask(0o077) // a backup has secrets
  const stop = stopAtSignal()
  try {
    return await command(opened, stop.signal)
  } catch (error) {
    const exitCode = stop.exitCode()
    if (exitCode !== undefined) return exitCode
    throw describeFailure(error)
  } finally {
    clearProgress()
  }
}

type Command = (bucket: Bucket, signal: AbortSignal) => Promise<number>

function readCommand(action: string | undefined, args: string[]): Command {
  const [first = '', second] = args
  const count = args.length
  if (action === 'list' && (count === 0 || (count === 1 && first === '--json'))) return list(count === 1)
  if (args.some((arg) => arg.startsWith('-'))) throw new UsageError(`unknown argument "${args.join(' ')}"`)
  if (action === 'get' && (count === 1 || count === 2)) return get(first, resolve(second ?? basename(first)))
  if (action === 'put' && count === 1) return put(resolve(first))
  const got = action === undefined ? 'nothing' : `"${[action, ...args].join(' ')}"`
  throw new UsageError(`bucket takes list, get NAME [FILE] or put FILE, got ${got}`)
}

/** Opens the bucket of `BACKUP_S3_URL`; null: none is set. */
export async function openConfiguredBucket(config: Config): Promise<Bucket | null> {
  if (config.backupS3Url === null) return null
  clearProxyEnvironment(process.env)
  await startFetching()
  return openBucket(config, { ...openOutbound(config), clock: systemClock })
}

/** Describes a failure of the bucket for people; any other error is returned as it is. */
export function describeFailure(error: unknown): Error {
  if (!(error instanceof BucketError)) return error instanceof Error ? error : new Error(String(error))
  const details = error.details === null ? '' : `: ${error.details}`
  return new Error(`the server of BACKUP_S3_URL ${error.message}${details}`, { cause: error })
}

function list(json: boolean): Command {
  return async (opened, signal) => {
    const objects = await opened.list(signal)
    const lines = objects.map(({ name, bytes }) => `${name}  ${formatBytes(bytes)}\n`)
    const all = objects.map(({ name, bytes }) => ({ name, size_bytes: bytes }))
    process.stdout.write(json ? `${JSON.stringify(all, null, 2)}\n` : lines.join(''))
    return 0
  }
}

/** Writes the whole file, or leaves none. */
function get(name: string, file: string): Command {
  return async (opened, signal) => {
    if (existsSync(file)) throw new Error(`there is a file ${file}; name another one`)
    const object = (await opened.list(signal)).find((one) => one.name === name)
    if (!object) throw new Error(`the bucket has no ${name}; nines bucket list prints what it has`)
    showProgress(`fetching ${name}, ${formatBytes(object.bytes)}`)
    try {
      await opened.get(object, file, signal)
    } catch (error) {
      rmSync(file, { force: true })
      throw error
    }
    clearProgress()
    process.stdout.write(
      `${file}: ${formatBytes(object.bytes)}; nines verify FILE reads it, nines restore FILE restores it\n`,
    )
    return 0
  }
}

function put(file: string): Command {
  return async (opened, signal) => {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile()) throw new Error(`there is no file ${file}`)
    showProgress(`sending ${file}, ${formatBytes(stats.size)}`)
    await opened.put(basename(file), file, signal)
    clearProgress()
    process.stdout.write(`${basename(file)}: ${formatBytes(stats.size)}\n`)
    return 0
  }
}
