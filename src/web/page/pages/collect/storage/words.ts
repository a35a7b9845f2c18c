import {
  formatBytes,
  formatCount,
  formatMoment,
  formatNumber,
  formatPercent,
  plural,
  sentence,
} from '../../../format.ts'
import type { ImportEnd, Progress } from './import-file.ts'

type Imported = Pick<Progress, 'samples' | 'tooOld' | 'tooNew' | 'firstMs' | 'lastMs'>

/** Says how much was imported so far: `3 samples from 10:00 to 11:00.`, and what was left out. */
export function importedSentence({ samples, tooOld, tooNew, firstMs, lastMs }: Imported, nowMs: number): string {
  const count = plural(samples, '# sample', '# samples')
  const sentences = [
    firstMs === null || lastMs === null
      ? `${count}.`
      : `${count} from ${formatMoment(firstMs, nowMs)} to ${formatMoment(lastMs, nowMs)}.`,
  ]
  if (tooOld > 0) sentences.push(`${formatNumber(tooOld)} left out: older than what is kept.`)
  if (tooNew > 0) sentences.push(`${formatNumber(tooNew)} left out: in the future (timestamps are in seconds).`)
  return sentences.join(' ')
}

type Growth = { samples_per_day: number; bytes_per_day: number }

/** New samples of a day, with their size. */
export function growthWords({ samples_per_day, bytes_per_day }: Growth): string {
  return `${formatCount(samples_per_day)}, about ${formatBytes(bytes_per_day)}`
}

/** Size or number that is used, with its bound; `format` writes both. */
export function usedOfWords({ used, limit }: { used: number; limit: number }, format: (n: number) => string): string {
  return `${format(used)} of at most ${format(limit)}`
}

/** Files that can be imported. */
export function importSentences(retentionDays: number): string {
  return `A file of OpenMetrics with timestamps, as promtool writes and reads it, unpacked or .gz, of any size. Samples of the last ${formatNumber(retentionDays)} days are kept. The same file may be imported again.`
}

/** Samples that are deleted. Both parts are elements with the name of a setting: what is too old, and the bound of the organization. */
export function deletedSentences<Part>(tooOld: Part, bound: Part): (Part | string)[] {
  return sentence`Every five minutes what is ${tooOld} is deleted; beyond the ${bound} the oldest samples of the organization go first. Samples are packed within two hours, and not counted before.`
}

/** Room of the disk, in bytes, and consequence of the bound of the file. `free`: null: it is not known. */
export function fileSentences(free: number | null): string {
  const bound = 'Beyond the bound (SAMPLES_MAX_BYTES) the organization that holds most loses its oldest samples.'
  return free === null ? bound : `${formatBytes(free)} of the disk are free. ${bound}`
}

/** Label of the progress of an import. */
export function progressLabel(file: string): string {
  return `Imported of ${file}`
}

/** State of an import. `share`: of the file, while it runs. */
export function importStateWords(file: string, share: number, end: ImportEnd): string {
  if (end === null) return `${file}: ${formatPercent(100 * share)}`
  if (end === 'done') return `${file}: imported.`
  return end === 'cancelled' ? `${file}: cancelled.` : `${file}: stopped.`
}
