/** Phrases of the API that name its fields, in words of the form; more specific ones come first. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/,? (?:as )?with threshold: ([\d.]+) and threshold_op: lte/g, ' such as “at most $1”'],
  [/set query_unit to percent\b/g, 'read it as one'],
  [/set query_unit to (\w+)/g, 'read it as a $1'],
  [/send it as (good|bad)_query/g, 'count them as $1'],
  [/\b(good|bad)_query counts\b/g, 'the $1 events are'],
  [/window_method: mean/g, 'the mean over the window'],
  [/\bgood_query\b/g, 'the good events'],
  [/\bbad_query\b/g, 'the bad events'],
  [/\btotal_query\b/g, 'all events'],
  [/\bmetric_query\b/g, 'the query'],
  [/\bquery_unit\b/g, 'the unit'],
  [/\bwindow_method\b/g, 'the method'],
  [/\bthreshold_op\b/g, 'the comparison'],
]

/** Sentence of the API about an SLO in words of the page, which has no names of API fields. */
export function inPageWords(text: string): string {
  return phrases.reduce((sentence, [pattern, words]) => sentence.replace(pattern, words), text)
}
