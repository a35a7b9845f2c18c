import { asSentence, formatCount, formatShort, list, plural, sentence } from '../../../format.ts'
import type { Ingestion } from '../types.ts'

export type Way = Ingestion['ways'][number]
export type Refused = Ingestion['refused'][number]

/** Name of a way by which samples come in, and the view that lists what brings them. */
export const wayNames: Record<Way['way'], { name: string; view: string }> = {
  target: { name: 'Metrics endpoints', view: 'targets' },
  probe: { name: 'Checks', view: 'probes' },
  heartbeat: { name: 'Heartbeats', view: 'heartbeats' },
  remote_write: { name: 'Remote write', view: 'senders' },
  otlp: { name: 'OTLP', view: 'senders' },
}

const countWords: Record<Way['way'], (count: number) => string> = {
  target: (count) => plural(count, '# metrics endpoint', '# metrics endpoints', formatCount),
  probe: (count) => plural(count, '# check', '# checks', formatCount),
  heartbeat: (count) => plural(count, '# heartbeat', '# heartbeats', formatCount),
  remote_write: (count) => plural(count, '# sender of remote write', '# senders of remote write', formatCount),
  otlp: (count) => plural(count, '# sender of OTLP', '# senders of OTLP', formatCount),
}

/** All that comes in: `12.4 samples/s of 310 series, from 2 metrics endpoints and 1 check.` */
export function ingestionWords(ways: readonly Way[]): string {
  const used = ways.filter(({ count }) => count > 0)
  if (used.length === 0) return 'No samples come into nines itself.'
  const rate = formatShort(
    used.reduce((sum, { samples_per_second }) => sum + samples_per_second, 0),
    2,
  )
  const series = plural(
    used.reduce((sum, way) => sum + way.series, 0),
    '# series',
    '# series',
    formatCount,
  )
  return `${rate} samples/s of ${series}, from ${list(
    used.map(({ way, count }) => countWords[way](count)),
    used.length,
  )}.`
}

/** Number of those who were refused: `2 senders were refused.`; empty: nobody was. */
export function refusedCount(refused: readonly Refused[]): string {
  return refused.length === 0 ? '' : plural(refused.length, 'One sender was refused.', '# senders were refused.')
}

const unknownReasons: Record<Refused['protocol'], string> = {
  remote_write: 'its token is missing, unknown or has expired',
  otlp: 'its token is missing, unknown or has expired',
  report: 'no heartbeat has the address that it calls',
}
const sentWords: Record<Refused['protocol'], string> = {
  remote_write: 'remote write',
  otlp: 'OTLP',
  report: 'reports of a job',
}

/** Refused sender and the reason: `edge at 10.0.0.7 (Prometheus/3.5.0), remote write: Rate limit exceeded. 3 requests, the last 5 min ago.` */
export function refusedSentence<Part>(of: Refused, ago: Part): (Part | string)[] {
  const { protocol, sends_as, address, user_agent, refused_requests, last_refused_reason } = of
  const from = user_agent === '' ? address : `${address} (${user_agent})`
  const who = sends_as === null ? from : `${sends_as} at ${from}`
  const why = asSentence(last_refused_reason ?? unknownReasons[protocol])
  return refused_requests === 1
    ? sentence`${`${who}, ${sentWords[protocol]}: ${why}`} One request, ${ago}.`
    : sentence`${`${who}, ${sentWords[protocol]}: ${why}`} ${formatCount(refused_requests)} requests, the last ${ago}.`
}
