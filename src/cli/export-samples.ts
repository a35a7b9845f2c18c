import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openOutbound } from '../app/outbound.ts'
import { readRemoteWriteMatch } from '../app/remote-write.ts'
import { dayMs, hourMs, isoTime, systemClock } from '../clock.ts'
import { type Config, readConfig } from '../config.ts'
import { replaceFile } from '../db/data-folder/data-dir.ts'
import { assertSqliteLoads, Database } from '../db/sqlite.ts'
import { type Exported, exportSamples } from '../embedded/outgoing/export-samples.ts'
import { createReceiver } from '../embedded/outgoing/receiver.ts'
import { createSampleStore } from '../embedded/store/sample-store.ts'
import { clearProxyEnvironment } from '../http/outbound/outbound.ts'
import { stopAtSignal } from './stop-at-signal.ts'
import type { Settings } from './settings/settings.ts'
import { timeOf } from './time-argument.ts'
import { UsageError } from './usage-error.ts'

type Arguments = { fromMs: number; toMs: number; match: string | null }

/** Description of an export. An export goes on where an earlier one ended only if their descriptions are the same. */
type Described = { from: string; to: string; match: string; url: string }

const stateName = 'export-samples.json'
const maxPauseMs = hourMs

/**
 * `nines export-samples --from … --to …`: sends samples of the past to the receiver of remote write, also while the server runs. An
 * export that was stopped goes on at the hour where it ended.
 */
export async function exportPast(args: string[], settings: Settings): Promise<number> {
  const { fromMs, toMs, match } = readArguments(args)
  const given = readConfig(settings.env)
  const config = match === null ? given : { ...given, remoteWriteMatch: match }
  const isSent = readRemoteWriteMatch(config)
  const { remoteWriteUrl: url } = config
  if (url === null) throw new Error('there is no receiver; set REMOTE_WRITE_URL')
  const dataDir = resolve(config.dataDir)
  if (!existsSync(join(dataDir, 'samples.db'))) throw new Error(`there is no samples.db in ${dataDir}; set DATA_DIR`)
  clearProxyEnvironment(process.env)
  process.umask(0o077)
  const stop = stopAtSignal()
  const described = { from: isoTime(fromMs), to: isoTime(toMs), match: config.remoteWriteMatch ?? '', url }
  const state = stateIn(dataDir, described)
  const startMs = state.nextMs() ?? fromMs
  if (startMs > fromMs) process.stderr.write(`nines: going on at ${isoTime(startMs)}, where the last export ended\n`)
  let exported: Exported = { samples: 0, refused: 0, refusal: null, nextMs: startMs }
  const { store, organizationIds } = openReadOnly(dataDir, config)
  try {
    exported = await exportSamples({
      store,
      organizationIds,
      receiver: createReceiver(url, config, { ...openOutbound(config), clock: systemClock }),
      isSent,
      fromMs: startMs,
      toMs,
      signal: stop.signal,
      onHour(soFar) {
        exported = soFar
        state.keep(soFar.nextMs)
      },
      async wait({ status, text, afterMs }, attempts) {
        const why = status === null ? text : `HTTP ${status}: ${text}`
        if (attempts === 1) process.stderr.write(`nines: ${why}; trying again until it is accepted\n`)
        // exponential backoff, or as long as the receiver asks for if that is longer
        const pauseMs = Math.max(Math.min(60_000, 500 * 2 ** Math.min(attempts, 10)), Math.min(maxPauseMs, afterMs))
        await sleep(pauseMs, undefined, { signal: stop.signal })
      },
    })
    state.remove()
  } catch (error) {
    if (!stop.signal.aborted) throw error
    process.stderr.write('nines: stopped; the same command goes on there\n')
  } finally {
    store.close()
  }
  process.stdout.write(summaryOf(exported))
  return stop.exitCode() ?? (exported.refused > 0 ? 1 : 0)
}

function summaryOf({ samples, refused, refusal, nextMs }: Exported): string {
  const lost = refused > 0 ? `, ${refused} refused (${refusal})` : ''
  return `${samples} samples sent${lost}, up to ${isoTime(nextMs)}\n`
}

/** Opens samples for reading; a server may go on writing. */
function openReadOnly(dataDir: string, config: Config) {
  assertSqliteLoads()
  const file = new Database(join(dataDir, 'samples.db'), { readonly: true, fileMustExist: true })
  const organizationIds = file
    .prepare<[], number>('select distinct organization_id from series order by organization_id')
    .pluck()
    .all()
  const keepMs = config.samplesRetentionDays * dayMs
  return { store: createSampleStore({ file, clock: systemClock, keepMs, maxBytes: Infinity }), organizationIds }
}

/** Record of how far an export has come, in the data folder. */
function stateIn(dataDir: string, described: Described) {
  const path = join(dataDir, stateName)
  return {
    /** Time at which the same export goes on; undefined: there was none, or it came to its end. */
    nextMs(): number | undefined {
      if (!existsSync(path)) return undefined
      const { next_ms: nextMs, ...stored } = JSON.parse(readFileSync(path, 'utf8')) as Described & { next_ms: number }
      return Bun.deepEquals(stored, described) ? nextMs : undefined
    },
    keep: (nextMs: number) => replaceFile(path, `${JSON.stringify({ ...described, next_ms: nextMs })}\n`),
    remove: () => rmSync(path, { force: true }),
  }
}

function readArguments(args: string[]): Arguments {
  try {
    const { values } = parseArgs({
      args,
      options: { from: { type: 'string' }, to: { type: 'string' }, match: { type: 'string', multiple: true } },
    })
    const [fromMs, toMs] = [timeOf('--from', values.from), timeOf('--to', values.to)]
    if (fromMs >= toMs) {
      throw new UsageError(`--from must be before --to, got "${values.from}" and "${values.to}"`)
    }
    return { fromMs, toMs, match: values.match?.join(', ') ?? null }
  } catch (cause) {
    if (cause instanceof UsageError || !(cause instanceof TypeError)) throw cause
    throw new UsageError(cause.message.replace(/\. .*/, ''), { cause }) // without the advice about dashes
  }
}
