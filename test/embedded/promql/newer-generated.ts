import { pick, type Random } from './random.ts'

const windows = ['30s', '1m', '2m30s', '5m', '300', '1m*2', '5m - 30s', '(2 + 1) * 1m', '2^3 * 15', '17m % 10m', '0x3C']
const offsets = ['', '', '', ' offset 1m', ' offset -90s', ' offset (1m * 2)', ' offset -(30s + 1m)', ' offset 45']
const plain = ['requests', 'pods', '{"http.server.requests"}', '{"größe"}', 'ramp', 'sizes_bucket', 'up', 'switches']
const matched = [
  '{"pods", zone="z"}',
  '{"http.server.requests", "http.route"=~".*b", job="api"}',
  '{"service.name"="x"}',
  '{__name__="größe", "0 odd\\"\\\\"!=""}',
  'requests{"instance"=~"a.*|b.*"}',
  '{"größe", `service.name`=\'y z\',}',
]
const names = ['job', 'instance', 'pod', 'zone', '"http.route"', '"service.name"', 'le', '"job"']
const windowFunctions = [
  'mad_over_time',
  'ts_of_min_over_time',
  'ts_of_max_over_time',
  'ts_of_last_over_time',
  'last_over_time',
  'count_over_time',
  'max_over_time',
]
const infoLabels = [
  '',
  ', {}',
  ', {version=~".+"}',
  ', {"k8s.cluster"=~"api.*"}',
  ', {version="2", "k8s.cluster"=""}',
  ', {__name__="process_info"}',
  ', {__name__=~"(process|target)_info", pid=~".*", version=~".*"}',
  ', {__name__="process_info", pid="a"}',
  ', {nothing=""}',
]

const list = (random: Random) => names.filter(() => random() < 0.25).join(', ')
const grouping = (random: Random) =>
  random() < 0.3 ? '' : ` ${pick(random, ['by', 'without'])} (${list(random)}${random() < 0.2 ? ' ' : ''})`
const selector = (random: Random) => pick(random, random() < 0.6 ? plain : matched)
const shifted = (random: Random) => `${selector(random)}${pick(random, offsets)}`

function range(random: Random): string {
  const shift = pick(random, offsets)
  if (random() < 0.75) return `${selector(random)}[${pick(random, windows)}]${shift}`
  return `(${vector(random, 1)})[${pick(random, windows)}:${pick(random, ['7s', '30', '10s * 2', '1m / 4'])}]${shift}`
}

const ratio = (random: Random) => pick(random, ['0', '0.1', '0.3', '0.5', '0.77', '1', '-0.2', '-0.9', '-1', '2', '-7'])
const factor = (random: Random) => pick(random, ['0.1', '0.5', '0.93', '0', '1', '-2'])
const bound = (random: Random) => pick(random, ['-Inf', '-2', '0', '0.25', '0.7', '1', '3', '5', '9', 'Inf', 'NaN'])
const share = (random: Random) => pick(random, ['0.5', '0', '1', '1.5', '-3', 'NaN', '1e7', '(2)', '-0.00001'])

/** A query with features new in Prometheus 3. */
export function newerQuery(random: Random): string {
  return vector(random, 2)
}

function vector(random: Random, depth: number): string {
  if (depth <= 0) return shifted(random)
  const inner = () => vector(random, depth - 1)
  const buckets = () => pick(random, ['sizes_bucket', 'latency_seconds_bucket', 'sum by (le) (sizes_bucket)', 'pods'])
  const roll = Math.floor(random() * 15)
  switch (roll) {
    case 0:
      return `limit_ratio${grouping(random)} (${ratio(random)}, ${inner()})`
    case 1:
    case 2:
      return `${pick(random, windowFunctions)}(${range(random)})`
    case 3:
      return `double_exponential_smoothing(${range(random)}, ${factor(random)}, ${pick(random, ['0.2', factor(random)])})`
    case 4:
      return `histogram_fraction(${bound(random)}, ${bound(random)}, ${buckets()})`
    case 5:
      return `histogram_quantile(${share(random)}, ${pick(random, ['sizes_bucket', 'pods', 'up'])})`
    case 6:
      return `${pick(random, ['sort_by_label', 'sort_by_label_desc'])}(${inner()}${pick(random, ['', ', "pod"', ', "zone", "pod"', ', "job", "a.b", "instance"'])})`
    case 7:
    case 8:
      return `info(${pick(random, ['requests', 'up', 'pods', 'sum by (job) (up)', '{__name__=~"up|target_info"}', inner()])}${pick(random, infoLabels)})`
    case 9:
      return `sum${grouping(random)} (${inner()})`
    case 10:
      return `quantile${grouping(random)} (${share(random)}, ${inner()})`
    case 11:
      return `quantile_over_time(${share(random)}, ${range(random)})`
    case 12:
      return `count_values${grouping(random)} ("a value", ${pick(random, ['pods', 'up', 'switches'])})`
    case 13:
      return `label_replace(${inner()}, "new label", "$1", "${pick(random, ['job', 'http.route', 'pod'])}", "(.).*")`
    default:
      return `${pick(random, ['histogram_count', 'histogram_avg', 'histogram_sum', 'histogram_stddev', 'histogram_stdvar', 'abs'])}(${inner()})`
  }
}
