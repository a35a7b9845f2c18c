import { pick, type Random } from './random.ts'

const metrics = ['requests_total', 'errors_total', 'temperature', 'switches', 'up', 'build_info', 'ramp', 'constant']
const labels = ['job', 'instance', 'code', 'room', 'floor', 'le', 'team']
const matchers = [
  'job="api"',
  'job!="web"',
  'code=~"2..|5.*"',
  'instance!~"a.*"',
  'room=~".+"',
  'floor=""',
  'job=~"api|cron"',
]
const windows = ['30s', '1m', '2m30s', '5m', '17m']
const rangeFunctions =
  'rate increase delta irate idelta resets changes deriv avg_over_time min_over_time max_over_time sum_over_time count_over_time last_over_time present_over_time stddev_over_time stdvar_over_time absent_over_time'.split(
    ' ',
  )
const vectorFunctions =
  'abs ceil floor exp ln sqrt sgn round atan sinh deg absent timestamp sort scalar_of hour_of day_of_week_of'.split(' ')

/** A query that Prometheus can parse, though it may refuse to match its vectors. */
export function generatedQuery(random: Random): string {
  return random() < 0.08 ? scalar(random, 3) : vector(random, 3)
}

function selector(random: Random): string {
  const some = matchers.filter(() => random() < 0.15)
  return `${pick(random, metrics)}${some.length > 0 ? `{${some.join(',')}}` : ''}`
}

function anyShift(random: Random): string {
  const shifts = [' offset 1m', ' offset -90s', ' @ start()', ' @ end()', ' @ 1760001000', ' @ 1760001500 offset 2m']
  return random() < 0.25 ? pick(random, shifts) : ''
}

function range(random: Random, depth: number): string {
  if (random() < 0.7 || depth <= 0) return `${selector(random)}[${pick(random, windows)}]${anyShift(random)}`
  return `(${vector(random, depth - 1)})[${pick(random, windows)}:${pick(random, ['7s', '30s', '1m', ''])}]${anyShift(random)}`
}

function names(random: Random): string {
  return labels.filter(() => random() < 0.3).join(', ')
}

function scalar(random: Random, depth: number): string {
  const roll = random()
  if (roll < 0.6 || depth <= 0) return pick(random, ['0', '1', '2.5', '-3', '1e3', '0.5', 'NaN', 'Inf', '100'])
  if (roll < 0.7) return 'time()'
  if (roll < 0.8) return `scalar(${vector(random, depth - 1)})`
  return `(${scalar(random, depth - 1)} ${arithmetic(random)} ${scalar(random, depth - 1)})`
}

const arithmetic = (random: Random) => pick(random, ['+', '-', '*', '/', '%', '^', 'atan2'])
const comparison = (random: Random) => pick(random, ['==', '!=', '<', '>', '<=', '>='])

function vector(random: Random, depth: number): string {
  const roll = random()
  if (depth <= 0 || roll < 0.1) return `${selector(random)}${anyShift(random)}`
  if (roll < 0.4) return rangeCall(random, depth)
  if (roll < 0.6) return aggregation(random, depth)
  if (roll < 0.85) return binary(random, depth)
  if (roll < 0.88) return `-${vector(random, 0)}`
  return call(random, depth)
}

function rangeCall(random: Random, depth: number): string {
  const roll = random()
  if (roll < 0.06) return `quantile_over_time(${scalar(random, 1)}, ${range(random, depth)})`
  if (roll < 0.12) return `predict_linear(${range(random, depth)}, ${scalar(random, 1)})`
  return `${pick(random, rangeFunctions)}(${range(random, depth)})`
}

function aggregation(random: Random, depth: number): string {
  const inner = vector(random, depth - 1)
  const how = random() < 0.75 ? ` ${pick(random, ['by', 'without'])} (${names(random)})` : ''
  const roll = random()
  if (roll < 0.1) return `quantile${how} (${pick(random, ['0', '0.3', '0.99', '1.5', '-1', 'NaN'])}, ${inner})`
  // With equal values, the choice of topk depends on Prometheus' heap.
  if (roll < 0.2)
    return `${pick(random, ['topk', 'bottomk'])}${how} (${pick(random, ['0', '1', '2', '3'])}, temperature${anyShift(random)})`
  if (roll < 0.25) return `count_values${how} ("value", switches${anyShift(random)})`
  return `${pick(random, ['sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar'])}${how} (${inner})`
}

function binary(random: Random, depth: number): string {
  const roll = random()
  const [left, right] = [vector(random, depth - 1), vector(random, depth - 1)]
  const compares = random() < 0.4
  const operator = compares ? `${comparison(random)}${random() < 0.5 ? ' bool' : ''}` : arithmetic(random)
  if (roll < 0.25) return `${left} ${operator} ${scalar(random, 1)}`
  if (roll < 0.4) return `${scalar(random, 1)} ${operator} ${right}`
  const matching = random() < 0.6 ? ` ${pick(random, ['on', 'ignoring'])} (${names(random)})` : ''
  if (roll < 0.6) return `${left} ${pick(random, ['and', 'or', 'unless'])}${matching} ${right}`
  if (roll < 0.75) return `${left} ${operator}${matching} ${right}`
  if (roll < 0.85)
    return `${selector(random)} ${operator} on (job) group_left (${pick(random, ['', 'team', 'version'])}) build_info${anyShift(random)}`
  if (roll < 0.92) return `sum by (job) (${left}) ${operator} on (job) group_right () ${selector(random)}`
  return `(${left}) ${operator} ${left}`
}

function call(random: Random, depth: number): string {
  const inner = vector(random, depth - 1)
  const roll = random()
  if (roll < 0.1) return `clamp(${inner}, ${scalar(random, 1)}, ${scalar(random, 1)})`
  if (roll < 0.2) return `${pick(random, ['clamp_min', 'clamp_max', 'round'])}(${inner}, ${scalar(random, 1)})`
  if (roll < 0.3)
    return `label_replace(${inner}, "${pick(random, labels)}", "$1-x", "${pick(random, labels)}", "(.).*")`
  if (roll < 0.35) return `label_join(${inner}, "${pick(random, labels)}", "-", "job", "room")`
  if (roll < 0.45)
    return `histogram_quantile(${pick(random, ['0.5', '0.9', '1', '2'])}, rate(latency_seconds_bucket[${pick(random, windows)}]))`
  if (roll < 0.55) return `vector(${scalar(random, depth)})`
  const name = pick(random, vectorFunctions)
  if (name === 'scalar_of') return `vector(scalar(${inner}))`
  // Date functions get timestamps, since the date of NaN depends on the machine.
  return name.endsWith('_of') ? `${name.slice(0, -3)}(timestamp(${inner}))` : `${name}(${inner})`
}
