import { type Flag, flag } from '../../db/tables/tables.ts'
import { invalid, readAll } from '../../errors.ts'
import { isText } from '../../http/schemas.ts'

export const maxIntervalSeconds = 3600
export const maxTimeoutSeconds = 120

type Timing = { interval_seconds: number; timeout_seconds: number }

const defaultIntervalSeconds = 30
const defaultTimeoutSeconds = 10
/** Maximum number of labels of a target or probe, and maximum characters of a value. */
export const maxLabels = 20
export const maxLabelValue = 200
const labelName = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,99}$/

/**
 * Interval and timeout as sent, otherwise as stored, otherwise the defaults. A timeout that is not sent is cut to the interval.
 * Throws `invalid` if the sent timeout is longer than the interval.
 */
function readTiming(sent: Partial<Timing>, stored?: Timing): Timing {
  const interval_seconds = sent.interval_seconds ?? stored?.interval_seconds ?? defaultIntervalSeconds
  if ((sent.timeout_seconds ?? 0) > interval_seconds) {
    throw invalid('timeout_seconds', `must be at most interval_seconds, which is ${interval_seconds}`)
  }
  const unsentSeconds = stored?.timeout_seconds ?? defaultTimeoutSeconds
  return { interval_seconds, timeout_seconds: sent.timeout_seconds ?? Math.min(unsentSeconds, interval_seconds) }
}

/** Labels as sent, with trimmed values; empty if none were sent. Throws `invalid`, naming each label that is not valid. */
export function readSeriesLabels(sent: unknown = {}): Record<string, string> {
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent)
  if (!isObject) throw invalid('labels', 'must be a JSON object of texts')
  const labels = Object.entries(sent)
  if (labels.length > maxLabels) throw invalid('labels', `must have at most ${maxLabels} entries, not ${labels.length}`)
  return Object.fromEntries(
    readAll(
      ...labels.map(([name, value]: [string, unknown]) => (): [string, string] => {
        if (!labelName.test(name)) {
          const quoted = JSON.stringify(name.slice(0, 100))
          throw invalid(
            'labels',
            `must be names of 1 to 100 letters, digits and _, no digit and no __ first; not ${quoted}`,
          )
        }
        if (typeof value !== 'string' || !isText(value, { max: maxLabelValue })) {
          throw invalid(`labels.${name}`, `must be 1 to ${maxLabelValue} characters, no control characters`)
        }
        return [name, value.trim()]
      }),
    ),
  )
}

type Sent = Partial<Timing> & { name: string; labels?: unknown; is_active?: boolean }
type Stored = Timing & { labels: string; is_active: Flag }

/**
 * Columns that targets and probes share: as sent, otherwise as stored, otherwise the defaults. Throws `invalid` for labels and
 * times that are not valid.
 */
export function readCollected(sent: Sent, stored?: Stored): Stored & { name: string } {
  const [timing, labels] = readAll(
    () => readTiming(sent, stored),
    () => (stored && sent.labels === undefined ? stored.labels : JSON.stringify(readSeriesLabels(sent.labels))),
  )
  return {
    name: sent.name,
    ...timing,
    labels,
    is_active: flag(sent.is_active ?? stored?.is_active !== 0),
  }
}

/** Fields of a row that the collector needs, for targets and probes alike. */
export function collectedOf(row: {
  id: number
  organization_id: number
  name: string
  interval_seconds: number
  timeout_seconds: number
  labels: string
}) {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    intervalMs: row.interval_seconds * 1000,
    timeoutMs: Math.round(row.timeout_seconds * 1000),
    labels: parseSeriesLabels(row),
  }
}

/** Parses the labels of a row. */
export function parseSeriesLabels({ labels }: { labels: string }): Record<string, string> {
  return JSON.parse(labels)
}
