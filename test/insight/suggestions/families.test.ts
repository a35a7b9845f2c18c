import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { collect, emptySource, foundIn, recorded, scraped } from './recorded.ts'

afterEach(closeAll)

/** Short form of a suggestion: its good or bad query, its total, and the target. */
type Expected = { name: string; counted: string; total: string; target: number }

const ofSlo = ({ name, bad_query: bad, good_query: good, total_query: total, target }: Record<string, string>) => ({
  name,
  counted: bare(bad ?? good ?? ''),
  total: bare(total ?? ''),
  target,
})
const bare = (query: string) => query.replace(/^sum\(rate\((.*)\[5m\]\)\)$/, '$1')

/** Expected suggestions of each family, for the texts in its documentation. */
const offers: Record<string, Expected[]> = {
  'go-http': [
    {
      name: 'checkout answers',
      counted: 'http_requests_total{service="checkout", code=~"5.."}',
      total: 'http_requests_total{service="checkout"}',
      target: 99.9,
    },
    {
      name: 'cart answers',
      counted: 'http_requests_total{service="cart", code=~"5.."}',
      total: 'http_requests_total{service="cart"}',
      target: 99.99,
    },
    {
      name: 'checkout answers within 250 ms',
      counted: 'http_request_duration_seconds_bucket{service="checkout", le="0.25"}',
      total: 'http_request_duration_seconds_count{service="checkout"}',
      target: 99,
    },
  ],
  opentelemetry: [
    {
      name: 'shop/search answers',
      counted: 'http_server_request_duration_seconds_count{job="shop/search", http_response_status_code=~"5.."}',
      total: 'http_server_request_duration_seconds_count{job="shop/search"}',
      target: 99.95,
    },
    {
      name: 'shop/search answers within 250 ms',
      counted: 'http_server_request_duration_seconds_bucket{job="shop/search", le="0.25"}',
      total: 'http_server_request_duration_seconds_count{job="shop/search"}',
      target: 99,
    },
  ],
  grpc: [
    {
      name: 'shop.Cart answers (gRPC)',
      counted:
        'grpc_server_handled_total{grpc_service="shop.Cart", grpc_code=~"Unknown|DeadlineExceeded|Unimplemented|Internal|Unavailable|DataLoss"}',
      total: 'grpc_server_handled_total{grpc_service="shop.Cart"}',
      target: 99.8,
    },
    {
      name: 'grpc.health.v1.Health answers (gRPC)',
      counted:
        'grpc_server_handled_total{grpc_service="grpc.health.v1.Health", grpc_code=~"Unknown|DeadlineExceeded|Unimplemented|Internal|Unavailable|DataLoss"}',
      total: 'grpc_server_handled_total{grpc_service="grpc.health.v1.Health"}',
      target: 99.95,
    },
    {
      name: 'shop.Cart answers within 5 ms (gRPC)',
      counted: 'grpc_server_handling_seconds_bucket{grpc_service="shop.Cart", le="0.005"}',
      total: 'grpc_server_handling_seconds_count{grpc_service="shop.Cart"}',
      target: 99.8,
    },
  ],
  istio: [
    {
      name: 'reviews answers',
      counted: 'istio_requests_total{reporter="destination", destination_service_name="reviews", response_code=~"5.."}',
      total: 'istio_requests_total{reporter="destination", destination_service_name="reviews"}',
      target: 99.8,
    },
    {
      name: 'reviews answers within 250 ms',
      counted:
        'istio_request_duration_milliseconds_bucket{reporter="destination", destination_service_name="reviews", le="250"}',
      total: 'istio_request_duration_milliseconds_count{reporter="destination", destination_service_name="reviews"}',
      target: 99.8,
    },
  ],
  traefik: [
    {
      name: 'shop@docker answers (Traefik)',
      counted: 'traefik_service_requests_total{service="shop@docker", code=~"5.."}',
      total: 'traefik_service_requests_total{service="shop@docker"}',
      target: 99,
    },
    {
      name: 'shop@docker answers within 100 ms (Traefik)',
      counted: 'traefik_service_request_duration_seconds_bucket{service="shop@docker", le="0.1"}',
      total: 'traefik_service_request_duration_seconds_count{service="shop@docker"}',
      target: 99.8,
    },
  ],
  'ingress-nginx': [
    {
      name: 'frontend answers (ingress)',
      counted: 'nginx_ingress_controller_requests{exported_service="frontend", status=~"5.."}',
      total: 'nginx_ingress_controller_requests{exported_service="frontend"}',
      target: 99.9,
    },
  ],
  envoy: [
    {
      name: 'payments answers (Envoy)',
      counted: 'envoy_cluster_upstream_rq_xx{envoy_cluster_name="payments", envoy_response_code_class="5"}',
      total: 'envoy_cluster_upstream_rq_xx{envoy_cluster_name="payments"}',
      target: 99.8,
    },
  ],
  caddy: [
    {
      name: 'srv0 answers (Caddy)',
      counted: 'caddy_http_request_duration_seconds_count{server="srv0", code=~"5.."}',
      total: 'caddy_http_request_duration_seconds_count{server="srv0"}',
      target: 99.95,
    },
    {
      name: 'srv0 answers within 100 ms (Caddy)',
      counted: 'caddy_http_request_duration_seconds_bucket{server="srv0", le="0.1"}',
      total: 'caddy_http_request_duration_seconds_count{server="srv0"}',
      target: 99.5,
    },
  ],
  haproxy: [
    {
      name: 'web answers (HAProxy)',
      counted: 'haproxy_backend_http_responses_total{proxy="web", code=~"5.."}',
      total: 'haproxy_backend_http_responses_total{proxy="web"}',
      target: 99.5,
    },
  ],
}

describe('the metrics of each family become SLOs over what had traffic:', () => {
  test.each(Object.entries(offers))('%s', async (name, expected) => {
    const nines = await emptySource()
    await collect(nines, await recorded(name))
    const { suggestions, gaps } = await foundIn(nines)
    expect(gaps).toEqual([])
    expect(suggestions.map((one: { slo: Record<string, string> }) => ofSlo(one.slo))).toEqual(expected)
  })
})

test('a suggestion can be previewed and created as it is, and is then marked', async () => {
  const nines = await emptySource()
  await collect(nines, await recorded('go-http'))
  const { suggestions } = await foundIn(nines)
  for (const { slo, reached_percent: reached } of suggestions) {
    const { status, body } = await nines.call('POST', '/api/v1/slos/preview', slo)
    expect([status, body.problems]).toEqual([200, []])
    expect(body.own.sli).toBeCloseTo(reached, 6)
  }
  const { status, body } = await nines.call('POST', '/api/v1/slos', suggestions[1].slo)
  expect(status).toBe(201)
  const marked = (await foundIn(nines)).suggestions.map(({ slo_id }: { slo_id: number | null }) => slo_id)
  expect(marked).toEqual([null, body.id, null])
  await nines.call('DELETE', `/api/v1/slos/${body.id}`)
  expect((await foundIn(nines)).suggestions[1].slo_id).toBeNull()
})

test('several families in one source are suggested beside each other, none twice', async () => {
  const nines = await emptySource()
  const all = await Promise.all(Object.keys(offers).map(recorded))
  await collect(nines, all.flat(), { days: 20 })
  const { suggestions } = await foundIn(nines)
  const measured = suggestions.map(({ slo }: { slo: object }) => JSON.stringify({ ...slo, name: '' }))
  expect(new Set(measured).size).toBe(suggestions.length)
  expect(suggestions.length).toBeGreaterThan(10)
  expect(suggestions.length).toBeLessThanOrEqual(20)
})

test('requests that a counter and a histogram both count are suggested once, whatever their labels are', async () => {
  const nines = await emptySource()
  const go = (await recorded('go-http')).map((one) => {
    const { service, ...labels } = one.labels
    // In the histogram, the service is only in the name of its job.
    return {
      ...one,
      labels:
        one.name === 'http_requests_total'
          ? { ...one.labels, job: `shop/${service}` }
          : { ...labels, job: `shop/${service}` },
    }
  })
  await collect(nines, go)
  const { suggestions } = await foundIn(nines)
  const available = suggestions.filter(({ kind }: { kind: string }) => kind === 'availability')
  expect(available.map(({ value }: { value: string }) => value)).toEqual(['checkout', 'cart'])
})

test('a bound is offered once in either spelling, and read in both', async () => {
  const nines = await emptySource()
  const go = await recorded('go-http')
  const again = go.flatMap((one) =>
    one.labels['le'] === '1' ? [{ ...one, labels: { ...one.labels, le: '1.0' } }] : [],
  )
  const slow = go.map((one) => (['0.25', '0.5'].includes(one.labels['le'] ?? '') ? { ...one, value: 1000 } : one))
  await collect(nines, [...slow.map((one) => (one.labels['le'] === '1' ? { ...one, value: 8000 } : one)), ...again])
  const latency = (await foundIn(nines)).suggestions.find(({ kind }: { kind: string }) => kind === 'latency')
  expect(latency.limits_seconds).toEqual([0.1, 0.25, 0.5, 1])
  expect(latency.limit_seconds).toBe(1)
  expect(latency.slo.good_query).toBe(
    String.raw`sum(rate(http_request_duration_seconds_bucket{service="checkout", le=~"1|1\\.0"}[5m]))`,
  )
})

test.each([
  ['no service-like label', {}, null, 'http_requests_total answers'],
  ['a job', { job: 'api' }, 'job', 'api answers'],
  ['an app beside its job', { job: 'pods', app: 'api' }, 'app', 'api answers'],
  ['a namespace alone', { namespace: 'shop' }, 'namespace', 'shop answers'],
])('with %s, the service is told by the label that says most', async (_, labels, label, name) => {
  const nines = await emptySource()
  const counter = { name: 'http_requests_total', labels: { status: '200' }, value: 900 }
  await collect(nines, scraped([counter], labels))
  expect((await foundIn(nines)).suggestions).toMatchObject([{ label, failing_label: 'status', slo: { name } }])
})
