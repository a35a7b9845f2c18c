/** Cache entry number `place`, of the first organization. */
export function cacheName(place: number) {
  const query = `sum(rate(http_requests_total{service="s${place}"}[5m]))`
  return { organizationId: 1, key: `bench:${place}`, query, sloId: 1, timeWindow: '24h' }
}

/** JSON of a range query result, about `bytes` long; different for each seed. */
export function jsonOf(bytes: number, seed: number): string {
  const values: [number, string][] = []
  let state = seed + 1
  for (let written = 70; written < bytes; written += 35) {
    state = (state * 48_271) % 2_147_483_647
    values.push([1_790_000_000 + values.length * 60, (state / 2_147_483_647).toFixed(16)])
  }
  return JSON.stringify({ resultType: 'matrix', result: [{ metric: { job: 'bench' }, values }] })
}
