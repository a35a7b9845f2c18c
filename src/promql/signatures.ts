export type ValueType = 'scalar' | 'string' | 'instant vector' | 'range vector'

/** Signature of a function. `optional`: number of arguments that may be missing at the end; `repeats`: the last may repeat. */
type Signature = { takes: ValueType[]; optional: number; repeats: boolean; gives: ValueType }

type More = Partial<Omit<Signature, 'takes'>>
const vector = 'instant vector'
const range = 'range vector'

const ofEach = (names: string, takes: ValueType[], more: More = {}) =>
  names
    .split(' ')
    .map((name): [string, Signature] => [name, { takes, optional: 0, repeats: false, gives: vector, ...more }])

/** Supported functions by name. */
export const signatures = new Map<string, Signature>([
  ...ofEach('abs ceil exp floor ln log2 log10 sqrt sgn deg rad', [vector]),
  ...ofEach('acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh', [vector]),
  ...ofEach('absent sort sort_desc timestamp', [vector]),
  ...ofEach('minute hour day_of_week day_of_month day_of_year days_in_month month year', [vector], { optional: 1 }),
  ...ofEach('clamp', [vector, 'scalar', 'scalar']),
  ...ofEach('clamp_min clamp_max', [vector, 'scalar']),
  ...ofEach('round', [vector, 'scalar'], { optional: 1 }),
  ...ofEach('label_replace', [vector, 'string', 'string', 'string', 'string']),
  ...ofEach('label_join', [vector, 'string', 'string', 'string'], { optional: 1, repeats: true }),
  ...ofEach('histogram_quantile', ['scalar', vector]),
  ...ofEach('histogram_fraction', ['scalar', 'scalar', vector]),
  ...ofEach('histogram_avg histogram_count histogram_sum histogram_stddev histogram_stdvar', [vector]),
  ...ofEach('sort_by_label sort_by_label_desc', [vector, 'string'], { optional: 1, repeats: true }),
  ...ofEach('info', [vector, vector], { optional: 1 }),
  ...ofEach('scalar', [vector], { gives: 'scalar' }),
  ...ofEach('vector', ['scalar']),
  ...ofEach('time pi', [], { gives: 'scalar' }),
  ...ofEach('rate irate increase delta idelta resets changes deriv', [range]),
  ...ofEach('avg_over_time min_over_time max_over_time sum_over_time count_over_time', [range]),
  ...ofEach('first_over_time last_over_time present_over_time absent_over_time', [range]),
  ...ofEach('stddev_over_time stdvar_over_time', [range]),
  ...ofEach('quantile_over_time', ['scalar', range]),
  ...ofEach('predict_linear', [range, 'scalar']),
  ...ofEach('mad_over_time ts_of_min_over_time ts_of_max_over_time ts_of_last_over_time', [range]),
  ...ofEach('double_exponential_smoothing', [range, 'scalar', 'scalar']),
])
