import { type Clock, isoTime } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Imported } from '../../embedded/import-samples.ts'
import { formatBytes } from '../../status/format-bytes.ts'

type Progress = {
  show(samples: number, fractionRead: number | undefined): void
  /** Clears the line of a terminal. */
  end(): void
}

type Options = {
  out: { write(text: string): unknown }
  /** Width of the terminal; undefined: the output is not a terminal. */
  columns: number | undefined
  stopwatch: Clock
}

const lineIntervalMs = 5000
const barLength = 20
const clearLine = '\r\x1b[K'

/** Shows the progress of an import, but not its end: on a terminal a redrawn line, otherwise a line every five seconds. */
export function createProgress({ out, columns, stopwatch }: Options): Progress {
  const beganMs = stopwatch.now()
  let writtenMs = -Infinity

  function describe(samples: number, fraction: number | undefined): string {
    const seconds = Math.max(0.001, (stopwatch.now() - beganMs) / 1000)
    const parts = [`${formatInteger(samples)} samples`, `${formatInteger(samples / seconds)}/s`]
    if (fraction === undefined || fraction === 0) return parts.join('  ')
    const left = duration((seconds * (1 - fraction)) / fraction)
    return [`${Math.floor(fraction * 100)} %`.padStart(6), ...parts, `${left} left`].join('  ')
  }

  return {
    show(samples, fraction) {
      const text = describe(samples, fraction)
      if (columns !== undefined) {
        const bar = fraction === undefined ? '' : barOf(fraction)
        out.write(clearLine + (bar + text).slice(0, columns - 1))
      } else if (samples > 0 && fraction !== 1 && stopwatch.now() - writtenMs >= lineIntervalMs) {
        writtenMs = stopwatch.now()
        out.write(`${text.trimStart()}\n`)
      }
    },
    end() {
      if (columns !== undefined) out.write(clearLine)
    },
  }
}

/** Rounds a number and formats it as `1,234,567`. */
function formatInteger(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function barOf(fraction: number): string {
  const done = Math.floor(fraction * barLength)
  return `[${'#'.repeat(done)}${'.'.repeat(barLength - done)}]`
}

function duration(seconds: number): string {
  return seconds < 100 ? `${formatInteger(seconds)} s` : `${formatInteger(seconds / 60)} min`
}

type ImportSummary = {
  imported: Imported
  organization: string
  seconds: number
  /** Number of SLOs that will be backfilled again; null: no source of the organization is the embedded one. */
  slos: number | null
  usedBytes: number
  config: Pick<Config, 'samplesRetentionDays' | 'samplesMaxBytes'>
}

/** Summary of an import, one statement a line. */
export function summarize({ imported, organization, seconds, slos, usedBytes, config }: ImportSummary): string {
  const { samples, series, tooOld, tooNew, firstMs, lastMs } = imported
  const rate = formatInteger(samples / Math.max(seconds, 0.001))
  const lines = [
    `imported ${count(samples, 'sample')} of ${formatInteger(series)} series into ${organization} in ${seconds.toFixed(1)} s (${rate}/s)`,
  ]
  if (firstMs !== null && lastMs !== null) lines.push(`from ${isoTime(firstMs)} to ${isoTime(lastMs)}`)
  if (tooOld > 0) {
    const days = config.samplesRetentionDays
    lines.push(`left out ${count(tooOld, 'sample')} older than ${days} days (SAMPLES_RETENTION_DAYS)`)
  }
  if (tooNew > 0) {
    lines.push(`left out ${count(tooNew, 'sample')} more than 10 minutes in the future (timestamps are in seconds)`)
  }
  const [used, max] = [usedBytes, config.samplesMaxBytes].map(formatBytes)
  lines.push(
    `samples.db holds ${used} of at most ${max} (SAMPLES_MAX_BYTES); above that, the oldest samples are deleted`,
  )
  if (slos === null) lines.push('no source of the organization is the embedded one: add one with the URL "embedded"')
  else if (samples > 0 && slos > 0) lines.push(`SLOs that are backfilled again once nines is started: ${slos}`)
  return `${lines.join('\n')}\n`
}

function count(samples: number, one: string): string {
  return `${formatInteger(samples)} ${one}${samples === 1 ? '' : 's'}`
}
