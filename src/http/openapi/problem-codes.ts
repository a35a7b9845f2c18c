import type { ProblemCode } from '../../errors.ts'

/** Meaning of a code, and the keys of its `params`; absent: it has none. */
export type CodeText = readonly [meaning: string, params?: string]

/** Description of a field `code`, in Markdown: a table of the codes. */
export function describeCodes(codes: Record<string, CodeText>): string {
  const rows = Object.entries(codes).map(([code, [meaning, params = '']]) => `| \`${code}\` | ${meaning} | ${params} |`)
  return [
    'stable kind of the problem, never renamed; more may be added',
    '',
    '| code | meaning | `params` |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n')
}

/** Description of the field `code` of a problem with a request. */
export const problemCodeText = describeCodes({
  invalid: ['breaks another rule: see the message'],
  required: ['is missing'],
  wrong_type: ['has another JSON type', '`expected`'],
  wrong_format: ['has another form than the message says'],
  not_whole: ['is not a whole number'],
  not_allowed: ['is not one of a fixed list', '`allowed`, or `max_role`'],
  too_short: ['has too few characters', '`min_characters`'],
  too_long: ['has too many characters', '`max_characters`'],
  too_small: ['is below a bound', '`min`, or `above`'],
  too_large: ['is above a bound', '`max`, or `below`; of a body `max_bytes`'],
  too_few: ['has too few entries', '`min_items`'],
  too_many: ['has too many entries', '`max_items`'],
  duplicate: ['is there twice'],
  unexpected: ['a name that does not fit'],
  exclusive: ['not together with another field'],
  unknown: ['names something that does not exist, or no longer'],
  in_use: ['is used by something else'],
  unknown_parameter: ['is not a query parameter of the route', '`nearest`, or `known`'],
  unknown_placeholder: ['has a placeholder that templates do not have', '`placeholder`, `known`'],
  not_promql: ['is not PromQL', '`character`: position of the first wrong one, from 1'],
  query_refused: ['the source refuses the query'],
} satisfies Record<ProblemCode, CodeText>)
