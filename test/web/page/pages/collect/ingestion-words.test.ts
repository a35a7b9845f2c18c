import { expect, test } from 'bun:test'
import {
  ingestionWords,
  type Refused,
  refusedCount,
  refusedSentence,
  type Way,
} from '../../../../../src/web/page/pages/collect/ingestion/words.ts'

const way = (name: Way['way'], more: Partial<Way> = {}): Way => ({
  way: name,
  count: 0,
  samples_per_second: 0,
  series: 0,
  last_stored_at: null,
  last_error: null,
  ...more,
})

test.each<[Way[], string]>([
  [[way('target'), way('otlp')], 'No samples come into nines itself.'],
  [
    [
      way('target', { count: 2, samples_per_second: 34.5, series: 1035 }),
      way('probe', { count: 1, samples_per_second: 0.33, series: 10 }),
      way('heartbeat'),
    ],
    '34.83 samples/s of 1,045 series, from 2 metrics endpoints and 1 check.',
  ],
  [[way('remote_write', { count: 1 })], '0 samples/s of 0 series, from 1 sender of remote write.'],
])('what comes in by %j is the line %p', (ways, line) => {
  expect(ingestionWords(ways)).toBe(line)
})

const refused: Refused = {
  protocol: 'remote_write',
  sends_as: 'edge',
  address: '10.0.0.7',
  user_agent: 'Prometheus/3.5.0',
  refused_requests: 3,
  last_refused_at: '2026-11-29T10:00:00.000Z',
  last_refused_reason: 'Rate limit exceeded: try again in 2 s',
}

test.each<[Partial<Refused>, string]>([
  [
    {},
    'edge at 10.0.0.7 (Prometheus/3.5.0), remote write: Rate limit exceeded: try again in 2 s. 3 requests, the last 5 min ago.',
  ],
  [
    { sends_as: null, last_refused_reason: null, refused_requests: 1 },
    '10.0.0.7 (Prometheus/3.5.0), remote write: Its token is missing, unknown or has expired. One request, 5 min ago.',
  ],
  [
    { protocol: 'report', sends_as: null, last_refused_reason: null, user_agent: '' },
    '10.0.0.7, reports of a job: No heartbeat has the address that it calls. 3 requests, the last 5 min ago.',
  ],
])('who was refused as %j is the sentence %p', (change, text) => {
  expect(refusedSentence({ ...refused, ...change }, '5 min ago').join('')).toBe(text)
})

test('the number of refused senders is said only where there are some', () => {
  expect([0, 1, 2].map((count) => refusedCount(Array.from({ length: count }, () => refused)))).toEqual([
    '',
    'One sender was refused.',
    '2 senders were refused.',
  ])
})
