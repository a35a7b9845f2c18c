import { isoTime } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Imported } from '../../embedded/import-samples.ts'
import { whole } from './progress.ts'

type Done = {
  imported: Imported
  organization: string
  seconds: number
  /** How many SLOs will ask for their past again; null: no source of the organization is the embedded one. */
  slos: number | null
  usedBytes: number
  config: Pick<Config, 'samplesRetentionDays' | 'samplesMaxBytes'>
}

/** What an import has done, a fact a line. */
export function summarize({ imported, organization, seconds, slos, usedBytes, config }: Done): string {
  const { samples, series, tooOld, tooNew, firstMs, lastMs } = imported
  const rate = whole(samples / Math.max(seconds, 0.001))
  const lines = [
    `imported ${count(samples, 'sample')} of ${whole(series)} series into ${organization} in ${seconds.toFixed(1)} s (${rate}/s)`,
  ]
  if (firstMs !== null && lastMs !== null) lines.push(`from ${isoTime(firstMs)} to ${isoTime(lastMs)}`)
  if (tooOld > 0) {
    const days = config.samplesRetentionDays
    lines.push(`left out ${count(tooOld, 'sample')} older than ${days} days (SAMPLES_RETENTION_DAYS)`)
  }
  if (tooNew > 0) {
    lines.push(`left out ${count(tooNew, 'sample')} more than 10 minutes in the future (timestamps are in seconds)`)
  }
  const [used, most] = [usedBytes, config.samplesMaxBytes].map((bytes) => whole(bytes / 1e6))
  lines.push(`samples.db holds ${used} MB of at most ${most} MB (SAMPLES_MAX_BYTES), beyond which the oldest go`)
  if (slos === null) lines.push('no source of the organization is the embedded one: add one with the URL "embedded"')
  else if (samples > 0 && slos > 0)
    lines.push(`SLOs that will ask for their past again, once nines is started: ${slos}`)
  return `${lines.join('\n')}\n`
}

function count(samples: number, one: string): string {
  return `${whole(samples)} ${one}${samples === 1 ? '' : 's'}`
}
