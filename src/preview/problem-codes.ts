import { type CodeText, describeCodes } from '../http/openapi/problem-codes.ts'

const codes = {
  no_data: ['the source has no data for the query'],
  no_metric: ['no such metric; `metrics` are similar ones', '`metric`, `metrics`, `lookback`'],
  no_matching_series: [
    'no series of the metric fits one matcher; `values` of its label, the nearest first',
    '`metric`, `matcher`, `label`, `operator`, `value`, `values`',
  ],
  no_series: ['no series fits all matchers of a selector', '`selector`, `lookback`'],
  unmeasurable: ['the query cannot be measured as written'],
  not_a_ratio: ['the query is a quantity'],
  not_a_number: ['the query is no number'],
  no_traffic: ['no events were counted'],
  out_of_range: ['the value is no share; `fix` if it is a percentage'],
  wrong_unit: ['a share is read as a percentage', '`highest_value`'],
  inverted: ['failures seem to be counted as good, or the reverse', '`sli_percent`'],
  more_than_total: ['a side has more events than the total', '`events`, `total_events`'],
  several_series: ['the mean of several series is taken'],
  groups_left_out: ['groups without good events are left out'],
  several_series_by: [
    'the query is grouped `by` a label, whose values are measured together; `values` are at most 50 of `count`',
    '`label`, `values`, `count`',
  ],
  part_of_values: [
    'a matcher `!~` excludes nothing, since its text is only a part of the values; `pattern` would',
    '`metric`, `matcher`, `label`, `operator`, `value`, `pattern`',
  ],
  no_budget: ['not one event may fail', '`total_events`'],
  alerts_cannot_fire: ['the target is too low for some burn-rate alerts', '`alerts`, `total_alerts`, `above_percent`'],
} as const satisfies Record<string, CodeText>

export type PreviewProblemCode = keyof typeof codes

/** Codes of the problems of a preview. Clients rely on them: a code is never renamed. */
export const previewProblemCodes = Object.keys(codes) as [PreviewProblemCode, ...PreviewProblemCode[]]

/** Description of the field `code` of a problem of a preview. */
export const previewProblemCodeText = describeCodes(codes)
