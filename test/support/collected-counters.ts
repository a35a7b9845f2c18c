import type { TestApp } from './app.ts'

/** Stores one sample a minute for the last two hours, of a counter that grows by `growth` each minute. */
export function collectCounter(
  nines: TestApp,
  name: string,
  labels: Record<string, string>,
  { growth, start = 1_000_000 }: { growth: number; start?: number },
): void {
  const all = Object.entries({ __name__: name, ...labels }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (let minute = 0; minute <= 120; minute += 1) {
    nines.app.samples.append(1, all, nines.clock.now() - (120 - minute) * 60_000, start + growth * minute)
  }
}

/** Results of preview, creation, calculation and evaluation of one query. The SLO is deleted afterwards. */
export async function resultsOfQuery(nines: TestApp, query: string | object) {
  const spelled = typeof query === 'string' ? { metric_query: query } : query
  const wanted = { name: 'shop', target: 99, time_window: '1h', metric_type: 'availability', ...spelled }
  const preview = (await nines.call('POST', '/api/v1/slos/preview', wanted)).body
  const created = (await nines.call('POST', '/api/v1/slos', wanted)).body
  const asked = { slo_id: created.id, time_window: '1h' }
  const calculated = (await nines.call('POST', '/api/v1/tsdb/calculate-slo', asked)).body
  const [evaluated] = await nines.app.evaluator.evaluateAll()
  await nines.call('DELETE', `/api/v1/slos/${created.id}`)
  return { preview, created, calculated, evaluated }
}
