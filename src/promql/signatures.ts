export type ValueType = 'scalar' | 'string' | 'instant vector' | 'range vector'

/** Signature of a function. `optional`: number of arguments that may be missing at the end; `repeats`: the last may repeat. */
type Signature = { takes: ValueType[]; optional: number; repeats: boolean; gives: ValueType }

type OptionalParts = Partial<Omit<Signature, 'takes'>>
const vector = 'instant vector'
const range = 'range vector'

const signaturesOf = (names: string, takes: ValueType[], otherParts: OptionalParts = {}) =>
  names
    .split(' ')
    .map((name): [string, Signature] => [name, { takes, optional: 0, repeats: false, gives: vector, ...otherParts }])

/** Supported functions by name. */
export const signatures = new Map<string, Signature>([
  ...signaturesOf('abs ceil exp floor ln log2 log10 sqrt sgn deg rad', [vector]),
  ...signaturesOf('acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh', [vector]),
  ...signaturesOf('absent sort sort_desc timestamp', [vector]),
  ...signaturesOf('minute hour day_of_week day_of_month day_of_year days_in_month month year', [vector], {
    optional: 1,
  }),
  ...signaturesOf('clamp', [vector, 'scalar', 'scalar']),
  ...signaturesOf('clamp_min clamp_max', [vector, 'scalar']),
  ...signaturesOf('round', [vector, 'scalar'], { optional: 1 }),
  ...signaturesOf('label_replace', [vector, 'string', 'string', 'string', 'string']),
  ...signaturesOf('label_join', [vector, 'string', 'string', 'string'], { optional: 1, repeats: true }),
  ...signaturesOf('histogram_quantile', ['scalar', vector]),
  ...signaturesOf('histogram_fraction', ['scalar', 'scalar', vector]),
  ...signaturesOf('histogram_avg histogram_count histogram_sum histogram_stddev histogram_stdvar', [vector]),
  ...signaturesOf('sort_by_label sort_by_label_desc', [vector, 'string'], { optional: 1, repeats: true }),
  ...signaturesOf('info', [vector, vector], { optional: 1 }),
  ...signaturesOf('scalar', [vector], { gives: 'scalar' }),
  ...signaturesOf('vector', ['scalar']),
  ...signaturesOf('time pi', [], { gives: 'scalar' }),
  ...signaturesOf('rate irate increase delta idelta resets changes deriv', [range]),
  ...signaturesOf('avg_over_time min_over_time max_over_time sum_over_time count_over_time', [range]),
  ...signaturesOf('first_over_time last_over_time present_over_time absent_over_time', [range]),
  ...signaturesOf('stddev_over_time stdvar_over_time', [range]),
  ...signaturesOf('quantile_over_time', ['scalar', range]),
  ...signaturesOf('predict_linear', [range, 'scalar']),
  ...signaturesOf('mad_over_time ts_of_min_over_time ts_of_max_over_time ts_of_last_over_time', [range]),
  ...signaturesOf('double_exponential_smoothing', [range, 'scalar', 'scalar']),
])
