import { AppError } from '../../errors.ts'
import type { Label } from '../exposition/sample.ts'

/** Samples of a request that were not stored, with the first reasons. */
export type RefusedSamples = {
  /** Number of samples and native histograms. */
  readonly count: number
  /** `labelsOf` is only called for the first series of a reason that is listed. */
  add(count: number, why: string, labelsOf: () => readonly Label[]): void
  /** Error that names the first series of each reason, and how many samples were refused for it. */
  error(written: number, headers: Record<string, string>): AppError
  /** The reasons, each with the first series. `unit`: what is counted. */
  reasons(unit: string): string
}

const maxReasons = 5
const maxNameCharacters = 160

export function collectRefused(): RefusedSamples {
  const reasons = new Map<string, { name: string; count: number }>()
  let total = 0
  const listReasons = (unit: string) =>
    [...reasons].map(([why, { name, count }]) => `${name}: ${why}${count > 1 ? ` (${count} ${unit})` : ''}`).join('; ')
  return {
    get count() {
      return total
    },
    add(count, why, labelsOf) {
      total += count
      const reason = reasons.get(why)
      if (reason) reason.count += count
      else if (reasons.size < maxReasons) reasons.set(why, { name: nameOf(labelsOf), count })
    },
    error(written, headers) {
      const rest = written === 0 ? 'nothing is stored' : 'the others are stored'
      const details = `${listReasons('samples')}; ${total} of ${total + written} refused, ${rest}`
      return new AppError('invalid', 'Samples refused', { details, headers })
    },
    reasons: listReasons,
  }
}

function nameOf(labelsOf: () => readonly Label[]): string {
  try {
    return formatSeries(labelsOf())
  } catch (error) {
    if (error instanceof AppError) return 'a series'
    throw error
  }
}

/** Series as PromQL writes it; cut to `maxNameCharacters`, which `…` marks. */
function formatSeries(labels: readonly Label[]): string {
  const name = labels.find(([label]) => label === '__name__')?.[1] ?? ''
  const others = labels
    .filter(([label]) => label !== '__name__')
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
  const text = others.length > 0 || name === '' ? `${name}{${others.join(', ')}}` : name
  return text.length > maxNameCharacters ? `${text.slice(0, maxNameCharacters)}…` : text
}
