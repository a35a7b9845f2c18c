import { endMs, startMs } from '../promql/samples.ts'

/** A request sent to both servers: a path and its parameters. */
export type Question = { path: string; parameters: [name: string, value: string][] }

const seconds = (timeMs: number) => String(timeMs / 1000)
const [from, until, mid] = [seconds(startMs), seconds(endMs), seconds(startMs + 900_123)]

function ask(path: string, written: Record<string, string | string[]> = {}): Question {
  const parameters = Object.entries(written).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  return { path, parameters }
}

const expressions = [
  'up',
  'temperature',
  'sum by (job) (requests_total)',
  'sort_desc(temperature{room=~"hall|cellar"})',
  'topk(2, ramp)',
  'temperature{room="hall"}[2m]',
  'temperature * 1e300',
  'temperature / 1e300',
  'vector(1e-7) or vector(1)',
  'vector(1e21)',
  'vector(123456789012345678901)',
  'vector(-0.0000012345)',
  'vector(NaN)',
  '-Inf',
  '1e-7',
  '1e300',
  '-0',
  '"text"',
  'nope',
  'nope[5m]',
  'time()',
  'odd{kind!=""}',
]
const unreadable = ['', ' ', '1 +', 'up{', 'up[5m', 'rate(up)', 'nope()', '{}', 'up{a=~"("}', '"a" + 1', 'sum(1)']
const impossible = [
  'label_join(up, "a", "", "a-b")',
  'up + on(job) up',
  'label_replace(up, "a-b", "", "", "")',
  'up * on() group_left() requests_total',
  'label_replace(up, "a", "b", "job", "(")',
  'label_replace(nope, "a", "b", "job", "x{1001}")',
]

export const instants: Question[] = [
  ...[...expressions, ...unreadable, ...impossible].map((query) => ask('query', { query, time: mid })),
  ...['', mid, until, '1760000000.5', '1.76e9', '+1760000000', '-1.5', '.5', '5.', '1e3'].map((time) =>
    ask('query', { query: 'up', time: time || from }),
  ),
  ...['2025-10-09T08:55:00Z', '2025-10-09T08:55:00.123456Z', '2025-10-09T10:55:00.5+02:00', '1969-12-31T23:59:59Z'].map(
    (time) => ask('query', { query: 'temperature', time }),
  ),
  ...['yesterday', '2025-10-09', '2025-10-09 08:55:00Z', '2025-02-30T00:00:00Z', ' 1', '1s', '--1', '0x10', '1e'].map(
    (time) => ask('query', { query: 'up', time }),
  ),
  ...['10', '0.5', '1m30s', '1y2w3d4h5m6s7ms'].map((timeout) => ask('query', { query: 'up', time: mid, timeout })),
  ...['x', '1 s', '1s1m', '-1m', 'm', '1e30', '9999999999y'].map((timeout) =>
    ask('query', { query: 'up', time: mid, timeout }),
  ),
  ...['0', '-1', '0s'].map((timeout) => ask('query', { query: 'up', time: mid, timeout })),
  ask('query', { query: ['up', 'ramp'], time: [mid, 'x'], unknown: '1' }),
  ...['0', '1', '2', '+1', '-1', 'x', '1.5'].map((limit) =>
    ask('query', { query: 'sort_desc(temperature{room=~"hall|cellar"})', time: mid, limit }),
  ),
  ask('query'),
]

const span = { start: from, end: until, step: '60' }
export const ranges: Question[] = [
  ...[...expressions, ...unreadable, ...impossible].map((query) => ask('query_range', { query, ...span })),
  ...['15', '0.5', '7.5', '1m', '1m30s', '1h', '0.001001', '2.0019'].map((step) =>
    ask('query_range', { query: 'temperature', start: mid, end: seconds(startMs + 902_000), step }),
  ),
  ...['', '0', '-1', '0s', 'x', 'Inf', '1e30', '1 m'].map((step) => ask('query_range', { query: 'up', ...span, step })),
  ...[
    ['0', '11000'],
    ['0', '11000.9'],
    ['0', '11001'],
    ['2', '1'],
    ['2', '2'],
    ['', '1'],
    ['1', ''],
    ['x', '1'],
    ['1', 'x'],
    ['1969-12-31T23:59:50Z', '1970-01-01T00:00:10.5Z'],
  ].map(([start = '', end = '']) => ask('query_range', { query: '1', start, end, step: '1' })),
  ask('query_range', { query: 'up', ...span, timeout: 'x' }),
  ask('query_range', { query: 'up', ...span, timeout: '0' }),
  ask('query_range', { query: 'up' }),
  ask('query_range', span),
  ...['0', '1', '2', '-1'].map((limit) => ask('query_range', { query: 'sum by (job) (up)', ...span, limit })),
]

const times = { start: from, end: until }
const selectors: (string | string[])[] = [
  'up',
  '{__name__="up"}',
  ' up { job="api" , }',
  '{room!="",__name__!~"t.+"}',
  ['up', 'temperature'],
  ['up{job="api"}', '{job="api",instance=~"a.*"}', 'up'],
  'odd',
  'nope',
  '',
  '{}',
  '{a=""}',
  '{a=~".*"}',
  ['up', '{'],
  ['up', '{}'],
  'up[5m]',
  'up offset 5m',
  'up @ 1',
  '(up)',
  '-up',
  'rate(up[5m])',
  'up{a=~"("}',
  '1',
]
const listing = [
  'series',
  'labels',
  'label/job/values',
  'label/__name__/values',
  'label/nope/values',
  'label/kind/values',
]

export const listings: Question[] = [
  ...listing.flatMap((path) => [
    ...selectors.map((selector) => ask(path, { 'match[]': selector, ...times })),
    ask(path),
    ask(path, times),
    ask(path, { 'match[]': 'up' }),
    ask(path, { 'match[]': 'up', start: 'x' }),
    ask(path, { 'match[]': 'up', end: '1s' }),
    ask(path, { 'match[]': 'up', start: '', end: '' }),
    ...['0', '1', '-1', 'x'].map((limit) => ask(path, { 'match[]': 'up{job="api",instance="a:80"}', limit })),
    ask(path, { limit: '99' }),
  ]),
  ...['1a', 'a-b', 'a.b', 'ä', '%20', 'U__job', 'U__in_73_tance', 'U____name__', 'U__x_', 'U___d800_'].map((name) =>
    ask(`label/${name}/values`),
  ),
  ...['', '-1', '0', '1', '+1', 'x', '1.5'].map((limit) => ask('metadata', { limit })),
  ask('metadata', { metric: 'up' }),
  ...['', 'alert', 'record', 'ALERT', 'x'].map((type) => ask('rules', { type })),
]
