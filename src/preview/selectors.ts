import { AppError, type ReportedProblem } from '../errors.ts'
import { levenshtein } from '../http/checks/levenshtein.ts'
import { allSettledOrThrow, type QueryRunner, readInstantNumbers } from '../sources/query-session.ts'
import { labelOf } from '../promql/labels.ts'
import { unquoted } from '../promql/literals.ts'
import type { MatchOperator, Span } from '../promql/syntax.ts'
import { selectorsIn } from '../promql/tree.ts'
import { metricNames } from '../promql/analysis/counters/raw-quantity.ts'
import { readDefinition } from '../sli/plan/definition.ts'
import type { Definition } from '../slos/definition.ts'
import type { PreviewProblemCode } from './problem-codes.ts'

/** A problem of an SLO: its field, what was found, what to do about it, and a change of the SLO that does it. */
export type PreviewProblem = Omit<ReportedProblem, 'code'> & {
  code: PreviewProblemCode
  hint: string | null
}

/** A selector of a query, `{__name__="x",…}` in any spelling, and the field it is in. */
type Selector = { field: string; text: string; name: string; matchers: Matcher[] }

/** `label` as it is written; `name` without its quotes. */
type Matcher = { text: string; label: string; name: string; operator: MatchOperator; value: string }

/** `atSeconds`: time of the queries; `lookback`: PromQL duration that they look back. */
type SelectorLookup = { runner: QueryRunner; atSeconds: number; lookback: string }

const maxSelectors = 4
const maxMatchers = 5
const maxListed = 10
// bounds of the time for comparing values by edit distance
const maxCompared = 1000
const maxCharacters = 50

/**
 * Queries the parts of a query one by one, to find the one that matches nothing: a metric, a matcher, or all of them together.
 * Empty if every selector finds series. `within`: only selectors in this text. It looks at four selectors at most, at the
 * matchers of two of them, and at likely alternatives.
 */
export async function emptySelectors(
  lookup: SelectorLookup,
  definition: Definition,
  within: string | null,
): Promise<PreviewProblem[]> {
  const selectors = selectorsOf(definition).filter(({ text }) => within === null || within.includes(text))
  const selectorsToCheck = selectors.slice(0, maxSelectors)
  const hasSeries = await allSettledOrThrow(selectorsToCheck.map(({ text }) => finds(lookup, text)))
  const problems: PreviewProblem[] = []
  for (const selector of selectorsToCheck.filter((_, at) => !hasSeries[at]).slice(0, 2)) {
    const problem = { field: selector.field, ...(await whyEmpty(lookup, selector)) }
    if (!problems.some(({ message }) => message === problem.message)) problems.push(problem)
  }
  return problems
}

/** Selectors of the queries, each once. */
export function selectorsOf(definition: Definition): Selector[] {
  const { template, parts } = readDefinition(definition)
  const selectors = new Map<string, Selector>()
  const textOf = ({ from, to }: Span) => template.text.slice(from, to)
  for (const selector of template.root ? selectorsIn(template.root) : []) {
    const text = textOf(selector)
    const field = parts.find(({ to }) => selector.from < to)?.field ?? 'metric_query'
    const matchers = selector.matchers.flatMap((matcher) => {
      const { label, operator } = matcher
      const value = unquoted(matcher.value) ?? ''
      const name = label && unquoted(label)
      return label && name && name !== '__name__' ? [{ text: textOf(matcher), label, name, operator, value }] : []
    })
    if (!selectors.has(text)) selectors.set(text, { field, text, name: metricNames(selector)[0] ?? '', matchers })
  }
  return [...selectors.values()]
}

async function whyEmpty(
  lookup: SelectorLookup,
  { text, name, matchers }: Selector,
): Promise<Omit<PreviewProblem, 'field'>> {
  const nothing = `${text} finds nothing in the last ${lookup.lookback}.`
  const ofWhole = { code: 'no_series', params: { selector: text, lookback: lookup.lookback } } as const
  if (name === '') return { ...ofWhole, message: nothing, hint: 'Check its matchers.' }
  const base = `__name__=${JSON.stringify(name)}`
  if (!(await finds(lookup, `{${base}}`))) {
    const likely = await likelyNames(lookup, name)
    return {
      message: `There is no metric ${name} in the last ${lookup.lookback}.`,
      code: 'no_metric',
      params: { metric: name, lookback: lookup.lookback, metrics: (likely ?? []).slice(0, maxListed) },
      hint: likely?.length ? `There are: ${formatList(likely)}.` : 'Check its spelling, and that this source has it.',
    }
  }
  const matchersToCheck = matchers.slice(0, maxMatchers)
  const hasSeries = await allSettledOrThrow(
    matchersToCheck.map((matcher) => finds(lookup, `{${base},${matcher.text}}`)),
  )
  const failing = matchersToCheck.find((_, at) => !hasSeries[at])
  if (failing === undefined) {
    return { ...ofWhole, message: nothing, hint: 'Each matcher finds series, but no series has them all.' }
  }
  const expression = `count by (${failing.label}) (count_over_time({${base}}[${lookup.lookback}]))`
  const values = await valuesOf(lookup, expression, failing.name)
  const { text: matcher, name: label, operator, value } = failing
  return {
    message: `No series of ${name} has ${matcher}.`,
    code: 'no_matching_series',
    params: { metric: name, matcher, label, operator, value, values: nearestOf(values ?? [], value) },
    hint: hintOn(failing.label, values),
  }
}

function hintOn(label: string, values: string[] | null): string | null {
  if (values === null) return null
  if (values.length === 0) return `It has no label ${label}.`
  const bound = label === 'le' ? ' A bound has to be one of them, written the same.' : ''
  return `Values of ${label}: ${formatList(values)}.${bound}`
}

/** Values most like another one, the nearest first. */
function nearestOf(values: string[], value: string): string[] {
  const start = (text: string) => text.slice(0, maxCharacters)
  return values
    .slice(0, maxCompared)
    .map((one) => ({ one, distance: levenshtein(start(one), start(value)) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, maxListed)
    .map(({ one }) => one)
}

function formatList(values: string[]): string {
  return values.slice(0, maxListed).join(', ') + (values.length > maxListed ? ', …' : '')
}

async function finds({ runner, atSeconds, lookback }: SelectorLookup, selector: string): Promise<boolean> {
  const data = await runner.instant('preview', `count(count_over_time(${selector}[${lookback}]))`, atSeconds)
  return readInstantNumbers(data).kind === 'numbers'
}

/** Metrics whose names begin like this one, the longest common beginning first; null if the source does not answer. */
async function likelyNames(lookup: SelectorLookup, name: string): Promise<string[] | null> {
  const beginning = name.slice(0, Math.max(4, Math.ceil(name.length / 2))).replaceAll(/[^\w:]/g, '.')
  const names = await valuesOf(lookup, `count by (__name__) ({__name__=~"${beginning}.*"})`, '__name__')
  return names?.toSorted((a, b) => alike(b, name) - alike(a, name)) ?? null
}

/** Length of the common beginning of two names. */
function alike(a: string, b: string): number {
  const differs = [...a].findIndex((char, at) => char !== b[at])
  return differs < 0 ? a.length : differs
}

/** Values of a label in an answer, sorted; null if the source does not answer. */
export async function valuesOf(
  { runner, atSeconds }: SelectorLookup,
  expression: string,
  label: string,
): Promise<string[] | null> {
  try {
    const data = await runner.instant('preview', expression, atSeconds)
    if (data.resultType !== 'vector') return []
    const withLabel = data.result.filter(({ metric }) => Object.hasOwn(metric, label))
    return withLabel.map(({ metric }) => labelOf(metric, label)).toSorted()
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
