import { formatMoment, formatNumber, plural } from '../../../format.ts'
import type { Progress } from './import-file.ts'

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
