import type { Draft } from './draft.ts'
import type { BuilderInputs } from './picks/picks.ts'
import { type Filter, Reader, writeFilter } from './picks/promql.ts'

/** Problem of a field, in the server's words; `hint`: how to solve it. */
export type FieldProblem = { field: string; message: string; hint?: string | null }

/** A change that a hint proposes, with its button label. */
export type Fix = { label: string; apply: (draft: Draft) => Partial<Draft> }

const maxValues = 4

/** Changes that the hint of a problem proposes for a draft; empty if it proposes none that can be applied. */
export function fixesOf({ field, message, hint }: FieldProblem, draft: Draft): Fix[] {
  if (!hint) return []
  const matcher = /^No series of .+? has (.+)\.$/s.exec(message)?.[1]
  const values = /^Values of .+?: (.+?)\.(?: A bound has to be .+)?$/s.exec(hint)?.[1]
  if (matcher !== undefined && values !== undefined) return otherValues(matcher, listOf(values))
  const metric = /^There is no metric (\S+) in the last /.exec(message)?.[1]
  const metrics = /^There are: (.+)\.$/s.exec(hint)?.[1]
  if (metric !== undefined && metrics !== undefined) {
    return listOf(metrics)
      .slice(0, maxValues)
      .map((name) => ({ label: `Use ${name}`, apply: (draft) => withMetric(draft, metric, name) }))
  }
  const unit = /set query_unit to (ratio|percent)/.exec(hint)?.[1]
  if (unit !== undefined) return [{ label: `Read it as a ${unit}`, apply: () => ({ queryUnit: unit }) }]
  const side = /send it as (good|bad)_query/.exec(hint)?.[1] as 'good' | 'bad' | undefined
  if (side !== undefined) return counted(draft, side)
  if (hint.includes('write 1 - (…) around it')) return around(draft, '1 - ')
  if (hint.includes('avg(…) around the whole') && field === 'metric_query') return around(draft, 'avg')
  const min = /with a target above ([\d.]+)\.$/.exec(hint)?.[1]
  if (min !== undefined) return higherTarget(Number(min))
  return []
}

function listOf(text: string): string[] {
  return text.split(', ').filter((one) => one !== '…')
}

/** Fixes that replace the value of a matcher, the most similar values first. */
function otherValues(matcher: string, values: string[]): Fix[] {
  const filter = new Reader(`{${matcher}}`).selector()?.filters[0]
  if (!filter) return []
  return values
    .toSorted((a, b) => distance(a, filter.value) - distance(b, filter.value))
    .slice(0, maxValues)
    .map((value) => ({
      label: `Use ${filter.label}=${value}`,
      apply: (draft) => withFilter(draft, matcher, filter, { ...filter, op: '=', value }),
    }))
}

function withFilter(draft: Draft, text: string, from: Filter, to: Filter): Partial<Draft> {
  const { kind, picks } = draft
  if (kind === 'promql') return { picks: rewritten(picks, (query) => query.replaceAll(text, writeFilter(to))) }
  if (kind === 'latency' && from.label === 'le')
    return { picks: { ...picks, latency: { ...picks.latency, le: to.value } } }
  const isIt = (one: Filter) => one.label === from.label && one.op === from.op && one.value === from.value
  const replaced = (filters: Filter[]) => filters.map((one) => (isIt(one) ? to : one))
  const of = picks[kind]
  const filters = replaced(of.filters)
  const changed = 'matching' in of ? { ...of, filters, matching: replaced(of.matching) } : { ...of, filters }
  return { picks: { ...picks, [kind]: changed } }
}

function withMetric({ kind, picks }: Draft, from: string, to: string): Partial<Draft> {
  if (kind === 'promql') {
    const name = new RegExp(`(?<![\\w:])${from.replace(/[^\w:]/g, '\\$&')}(?![\\w:])`, 'g')
    return { picks: rewritten(picks, (query) => query.replace(name, () => to)) }
  }
  const other = (metric: string) => (metric === from ? to : metric)
  const family = (metric: string) => metric.replace(/_(?:bucket|count)$/, '')
  const { requests, latency, jobs } = picks
  const renamed: BuilderInputs = {
    ...picks,
    requests: { ...requests, metric: other(requests.metric) },
    latency: { ...latency, metric: latency.metric === family(from) ? family(to) : latency.metric },
    jobs: { ...jobs, failed: other(jobs.failed), other: other(jobs.other), metric: other(jobs.metric) },
  }
  return { picks: { ...picks, [kind]: renamed[kind] } }
}

function rewritten(picks: BuilderInputs, write: (query: string) => string): BuilderInputs {
  const { metric_query, counted, total_query } = picks.promql
  const promql = {
    ...picks.promql,
    metric_query: write(metric_query),
    counted: write(counted),
    total_query: write(total_query),
  }
  return { ...picks, promql }
}

/** Fix that counts the events as good, or as bad. */
function counted({ kind, picks }: Draft, side: 'good' | 'bad'): Fix[] {
  const label = `Count them as ${side}`
  if (kind === 'requests') {
    return [{ label, apply: ({ picks }) => ({ picks: { ...picks, requests: { ...picks.requests, counts: side } } }) }]
  }
  if (kind !== 'promql' || (picks.promql.type !== 'good' && picks.promql.type !== 'bad')) return []
  return [{ label, apply: ({ picks }) => ({ picks: { ...picks, promql: { ...picks.promql, type: side } } }) }]
}

function around({ kind }: Draft, before: string): Fix[] {
  if (kind !== 'promql') return []
  // keeps a comment from hiding the parenthesis
  const wrapped = (query: string) => `${before}(${query}${query.includes('#') ? '\n' : ''})`
  return [
    {
      label: `Write ${before}(…) around it`,
      apply: ({ picks }) => {
        const { promql } = picks
        return { picks: { ...picks, promql: { ...promql, metric_query: wrapped(promql.metric_query) } } }
      },
    },
  ]
}

/** Fix with the next target above one, with as few decimals as possible below 100. */
function higherTarget(min: number): Fix[] {
  for (const factor of [1, 10, 100, 1000, 10_000]) {
    const target = (Math.floor(min * factor) + 1) / factor
    if (target < 100) return [{ label: `Use ${target}`, apply: () => ({ target: String(target) }) }]
  }
  return []
}

/** Levenshtein distance: characters to add, remove or replace. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [y, sign] of [...one].entries()) {
    const next = [y + 1]
    for (const [x, against] of [...other].entries()) {
      const replaced = (row[x] ?? 0) + (sign === against ? 0 : 1)
      next.push(Math.min(replaced, (row[x + 1] ?? 0) + 1, (next[x] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
