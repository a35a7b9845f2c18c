import { isText } from '../../http/schemas.ts'
import { type Candidate, type Kind, requiredMatchers } from './candidates.ts'
import { eventSeriesName } from './discover.ts'
import { anyOf, type Match, selectorOf } from './expressions.ts'
import type { History } from './histories.ts'
import { type SuggestedTarget, suggestTarget } from './target.ts'

export type Queries = { metric_query?: string; good_query?: string; bad_query?: string; total_query?: string }

/** An SLO that would measure something the source has. `limitsSeconds`: bounds of the histogram of a latency. */
export type Suggestion = {
  key: string
  kind: Kind
  metric: string
  label: string | null
  value: string | null
  failingLabel: string | null
  limitSeconds: number | null
  limitsSeconds: number[]
  name: string
  window: '30d'
  queries: Queries
  /** Queries that measure the same. */
  alike: Queries[]
  suggested: SuggestedTarget
  sliPercent: number | null
  daysPercent: (number | null)[]
  eventsPerDay: number | null
}

/** Maximum length of a service in the name of an SLO, and of a metric beside it: at most 200 with the rest of the title. */
const [maxService, maxMetric] = [150, 30]

export function suggestionOf(candidate: Candidate, { past, bounds, chosen }: History): Suggestion {
  const { metric, kind, label, value, failing } = candidate
  const { family } = metric
  const unitSeconds = family.shape === 'histogram' ? family.unitSeconds : 1
  const secondsOf = (limit: number) => round12(limit * unitSeconds)
  const limitSeconds = chosen && secondsOf(chosen.limit)
  const own: Match[] = [...requiredMatchers(metric), ...(label === null ? [] : [anyOf(label, [value ?? ''])])]
  return {
    key: [kind, metric.name, value ?? ''].join(' '),
    kind,
    metric: kind === 'latency' ? `${metric.name}_bucket` : eventSeriesName(metric),
    label,
    value,
    failingLabel: failing?.label ?? null,
    limitSeconds,
    limitsSeconds: bounds.map(({ limit }) => secondsOf(limit)),
    name: nameOf(candidate, limitSeconds),
    window: '30d',
    queries: queriesOf(candidate, own, chosen?.spellings ?? []),
    alike: kind === 'probe' ? alikeOf(candidate) : [],
    suggested: suggestTarget(past),
    sliPercent: past?.sliPercent ?? null,
    daysPercent: past?.daysPercent ?? [],
    eventsPerDay: past && past.events !== null && past.knownDays > 0 ? past.events / past.knownDays : null,
  }
}

function queriesOf({ metric, kind, failing }: Candidate, own: Match[], spellings: string[]): Queries {
  const rateOf = (name: string, matches: Match[] = []) => `sum(rate(${selectorOf(name, [...own, ...matches])}[5m]))`
  if (kind === 'latency') {
    const bucket = rateOf(`${metric.name}_bucket`, [anyOf('le', spellings)])
    return { good_query: bucket, total_query: rateOf(eventSeriesName(metric)) }
  }
  if (failing) {
    const isPattern = /[.|*+?]/.test(failing.bad)
    const bad: Match = [failing.label, isPattern ? '=~' : '=', failing.bad]
    return { bad_query: rateOf(eventSeriesName(metric), [bad]), total_query: rateOf(eventSeriesName(metric)) }
  }
  return { metric_query: `avg(${selectorOf(metric.name, own)})` }
}

/** Queries that others may use for the same probe: by one of its labels, such as the job, if that has a single value. */
function alikeOf({ metric, labels }: Candidate): Queries[] {
  const matches = [...labels].flatMap(([label, values]) => (values.size === 1 ? [anyOf(label, [...values])] : []))
  return matches.flatMap((match) => {
    const selector = selectorOf(metric.name, [match])
    return [{ metric_query: selector }, { metric_query: `avg(${selector})` }]
  })
}

function nameOf({ metric: { family, name }, kind, label, value }: Candidate, limitSeconds: number | null): string {
  const displayName = (value ?? name)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  const service =
    label !== null && isText(displayName, { max: maxService }) && /[\p{L}\p{N}]/u.test(displayName) ? displayName : name
  const title = kind === 'latency' && family.shape === 'histogram' ? family.limitTitle : family.title
  const words: Record<string, string> = {
    name: service.slice(0, maxService),
    metric: name.slice(0, maxMetric),
    limit: limitSeconds === null ? '' : limitSeconds < 1 ? `${round12(limitSeconds * 1000)} ms` : `${limitSeconds} s`,
  }
  return title.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '')
}

/** Removes the rounding errors of binary fractions. */
const round12 = (n: number) => Number(n.toPrecision(12))
