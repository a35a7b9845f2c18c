import { badData, badParameter } from './bad-data.ts'
import { type Parameters, textOf } from './parameters.ts'

/** What a target says of a metric. */
export type Metadata = { metric: string; type: string; help: string; unit: string }

/** `/metadata`: what is said of each metric; of at most `limit` metrics, where that is not negative. */
export function listMetadata(all: readonly Metadata[], parameters: Parameters): Iterable<string> {
  const limitText = textOf(parameters, 'limit') ?? '-1'
  if (!/^[+-]?\d+$/.test(limitText)) throw badData('limit must be a number')
  const limit = Number(limitText)
  const wanted = textOf(parameters, 'metric')
  const told = new Map<string, Map<string, Omit<Metadata, 'metric'>>>()
  for (const { metric, type, help, unit } of all) {
    if (wanted !== undefined && metric !== wanted) continue
    if (limit >= 0 && !told.has(metric) && told.size >= limit) continue
    const ofMetric = told.get(metric) ?? new Map<string, Omit<Metadata, 'metric'>>()
    told.set(metric, ofMetric.set(JSON.stringify([type, help, unit]), { type, help, unit }))
  }
  return [JSON.stringify(Object.fromEntries([...told].map(([metric, each]) => [metric, [...each.values()]])))]
}

/** `/rules`: there are none; without an answer Grafana says that it cannot load them. */
export function listRules(parameters: Parameters): Iterable<string> {
  const type = textOf(parameters, 'type')?.toLowerCase() ?? ''
  if (!['', 'alert', 'record'].includes(type)) throw badParameter('type', `not supported value "${type}"`)
  return [JSON.stringify({ groups: [] })]
}
