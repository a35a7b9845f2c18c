/** Numbers outside of the usual ranges. */
const odd = ['NaN', 'Inf', '-Inf', '0', '-0', '-1', '0.5', '-2.5', '1e300', '-1e300', '5e-324', '9.3e18', '-9.3e18']
/** Unix seconds at the limits of calendars: the years 1, 0, 1970, 9999 and 275761, leap days, 2^63 - 1. */
const times = ['-62135596800', '-62135596801', '-62167219201', '-0.5', '253402300800', '8640000000001', '1709164799.9']
  .concat(['68169600', '951782400', '4107542400', '67767976233532799', '9223372036854775807', '-9223372036854775808'])
  .concat(['-9223372036854774784', '9.2e18', '-9.2e18', '1e17', '-1e17', '3e15', '-3e15', '2^62', '-(2^62)'])
const oneNumber =
  'abs ceil exp floor ln log2 log10 sqrt sgn deg rad acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh timestamp'
const ofTime = 'minute hour day_of_week day_of_month day_of_year days_in_month month year'
const overTime = 'avg min max sum count first last present absent stddev stdvar mad ts_of_min ts_of_max ts_of_last'
const ofRange = 'rate irate increase delta idelta resets changes deriv'
const folds = 'sum avg min max count group stddev stdvar'

const words = (text: string) => text.split(' ')
const each = (names: string, of: (name: string) => string[]) => words(names).flatMap(of)

/** Ranges with odd values only, and with odd values among others. */
const oddRanges = ['oddities[5m]', '(oddities)[2m:7s]', 'nothing[5m]', 'oddities[15s]', 'oddities[16s]']
  .concat(odd.map((value) => `(vector(${value}))[1m:15s]`))
  .concat(odd.slice(0, 3).map((value) => `(ramp > 3 or on() vector(${value}))[3m:15s]`))
const vectors = ['oddities', 'nothing', ...odd.map((value) => `vector(${value})`)]

/** Excluded: on amd64 Go computes the logarithm of a subnormal number as if it were a normal one. */
const isWrongInGo = /^(?:ln|log10)\(vector\(5e-324\)\)$/

/** Queries that pass NaN, infinity, no value, and numbers out of range to every function and aggregation. */
export const oddQueries: string[] = [
  ...each(`${oneNumber} ${ofTime} sort sort_desc absent scalar histogram_count`, (name) =>
    vectors.map((vector) => `${name}(${vector})`),
  ).filter((query) => !isWrongInGo.test(query)),
  ...each(ofTime, (name) => times.map((time) => `${name}(vector(${time}))`)),
  ...each(overTime, (name) => oddRanges.map((range) => `${name}_over_time(${range})`)).filter(
    (query) => !query.startsWith('first_over_time'), // Prometheus 3.5 does not have it
  ),
  ...each(ofRange, (name) => oddRanges.map((range) => `${name}(${range})`)),
  ...each(folds, (name) => [...vectors, 'oddities or ramp'].map((vector) => `${name}(${vector})`)),
  ...odd.flatMap((value) => [
    ...['oddities', 'nothing', 'up', 'vector(NaN)'].flatMap((vector) => [
      ...each('topk bottomk quantile limitk limit_ratio', (name) => [
        `${name}(${value}, ${vector})`,
        `${name} by (job) (${value}, ${vector})`,
      ]),
      ...each('clamp_min clamp_max round', (name) => [`${name}(${vector}, ${value})`]),
      ...each('+ - * / % ^ atan2 == != < > <= >=', (operator) => [
        `${vector} ${operator} ${value}`,
        `${value} ${operator} ${vector}`,
      ]),
    ]),
    ...odd.flatMap((other) => [
      `clamp(oddities, ${value}, ${other})`,
      `clamp(vector(${value}), ${other}, 3)`,
      `round(vector(${value}), ${other})`,
      `histogram_fraction(${value}, ${other}, sizes_bucket)`,
      `double_exponential_smoothing(oddities[5m], ${value}, ${other})`,
      ...each('+ - * / % ^ atan2', (operator) => [`${value} ${operator} ${other}`]),
      ...each('== != < > <= >=', (operator) => [`${value} ${operator} bool ${other}`]),
    ]),
    `quantile_over_time(${value}, oddities[5m])`,
    `quantile_over_time(${value}, ramp[5m])`,
    `predict_linear(ramp[5m], ${value})`,
    `predict_linear(oddities[5m], ${value})`,
    `histogram_quantile(${value}, sizes_bucket)`,
    `histogram_quantile(${value}, oddities)`,
    `histogram_quantile(0.5, sizes_bucket * ${value})`,
    `histogram_fraction(0, 1, sizes_bucket * ${value})`,
    `count_values("v", vector(${value}))`,
    `label_replace(vector(${value}), "a", "b", "", "")`,
    `ramp @ ${value}`,
    `ramp offset ${value}`,
    `ramp[${value}]`,
    ...(value === '5e-324' ? [] : [`count_over_time(ramp[5m:${value}])`]), // these use the default step
    `-vector(${value})`,
    `vector(scalar(vector(${value})))`,
  ]),
  ...each('topk bottomk limitk quantile limit_ratio', (name) =>
    [...odd, '-(2 ^ 63)'].flatMap((value) =>
      ['NaN', '0.3', '1', '20'].map(
        (other) => `${name}(scalar(vector(${value}) and on() ramp > 10 or vector(${other})), ramp)`,
      ),
    ),
  ),
  'count_values("v", oddities)',
  'count_values("v", nothing)',
  'count_values("", nothing)',
  'label_replace(nothing, "a", "b", "c", "(")',
  'label_replace(up, "a", "b", "c", "(")',
  'label_replace(up, "a", "b", "job", "(?=x)")',
  'label_replace(up, "a", "b", "job", "x{1001}")',
  'label_replace(up, "", "b", "job", "(")',
  'label_replace(up, "", "b", "job", ".*")',
  'label_replace(nothing, "", "b", "job", ".*")',
  'label_join(up, "", "-", "job")',
  'label_join(nothing, "", "-", "job")',
  'label_join(up, "a", "-", "")',
  'up{job=~"("}',
  'nothing{job=~"("}',
  'sort_by_label(up, "")',
  'sort_by_label(nothing, "job")',
  'histogram_quantile(0.5, nothing)',
  'histogram_fraction(0, 1, nothing)',
  'histogram_fraction(0, 1, oddities)',
  'double_exponential_smoothing(nothing[5m], 2, 0.5)',
  'double_exponential_smoothing(ramp[5m], 2, 0.5)',
  'info(nothing)',
  'scalar(nothing)',
  'vector(scalar(nothing))',
  'absent(nothing{job="a"})',
  'nothing + up',
  'up + nothing',
  'up and nothing',
  'up unless nothing',
  'nothing or nothing',
  'topk(scalar(nothing), up)',
  'limitk(scalar(nothing), up)',
  'limitk(time(), up)',
  'limit_ratio(scalar(nothing), up)',
  'quantile(scalar(nothing), up)',
  'clamp(up, scalar(nothing), 1)',
  'round(up, scalar(nothing))',
  ...words('0.0004 0.001 1e-9').flatMap((range) => [`ramp[${range}]`, `count_over_time(up[${range}:15s])`]),
  ...words('NaN -NaN (NaN) 9e9 -9e9 1e10').map((offset) => `ramp offset ${offset}`),
  ...words('1e15 -1e15 9.2e18 -9e18').flatMap((time) => [`ramp @ ${time}`, `absent(up @ ${time} offset 5m)`]),
  'minute()',
  'month(time() / 0)',
  'month(oddities * 1e9)',
  'year(oddities * 1e12)',
  'days_in_month(oddities * 1e15)',
  'up * on(job) oddities',
]
