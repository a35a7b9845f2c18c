/**
 * Series from which the past of an SLO is computed: counters of its events, or one whose values are good if they are at least
 * `min`. Each series is named by its job, metric and the values of its other labels.
 */
export type EventSource = { good: string[]; total: string[] } | { series: string; min: number }

const requestsOf = (service: string): EventSource => ({
  good: [`shop shop_requests_total{${service},200}`],
  total: [`shop shop_requests_total{${service},200}`, `shop shop_requests_total{${service},503}`],
})

/** SLOs of the demo, in the order in which they are created: the body of each `POST /slos`, and where its past events come from. */
export const demoSlos: {
  body: Record<string, unknown> & { labels: { service: string; tier: string } }
  events: EventSource
}[] = [
  {
    body: {
      name: 'Checkout answers',
      description: 'Customers can pay: requests to the checkout that are not answered with an error of the server.',
      target: 99.9,
      time_window: '30d',
      metric_type: 'availability',
      good_query: 'sum(rate(shop_requests_total{service="checkout", code!~"5.."}[5m]))',
      total_query: 'sum(rate(shop_requests_total{service="checkout"}[5m]))',
      labels: { service: 'checkout', tier: '1' },
    },
    events: requestsOf('checkout'),
  },
  {
    body: {
      name: 'Payments answer',
      description: 'Few requests, so that one incident costs much of the budget.',
      target: 99.5,
      time_window: '30d',
      metric_type: 'availability',
      bad_query: 'sum(rate(shop_requests_total{service="payments", code=~"5.."}[5m]))',
      total_query: 'sum(rate(shop_requests_total{service="payments"}[5m]))',
      labels: { service: 'payments', tier: '1' },
    },
    events: requestsOf('payments'),
  },
  {
    body: {
      name: 'Search is fast',
      description: 'Searches answered within 250 ms.',
      target: 99,
      time_window: '7d',
      metric_type: 'latency',
      good_query: 'sum(rate(shop_request_duration_seconds_bucket{service="search", le="0.25"}[5m]))',
      total_query: 'sum(rate(shop_request_duration_seconds_count{service="search"}[5m]))',
      labels: { service: 'search', tier: '2' },
    },
    events: {
      good: ['shop shop_request_duration_seconds_bucket{search,0.25}'],
      total: ['shop shop_request_duration_seconds_count{search}'],
    },
  },
  {
    body: {
      name: 'Search answers',
      description: 'Searches that are not answered with an error of the server.',
      target: 99.95,
      time_window: '24h',
      metric_type: 'availability',
      metric_query:
        '1 - sum(rate(shop_requests_total{service="search", code=~"5.."}[5m])) / sum(rate(shop_requests_total{service="search"}[5m]))',
      labels: { service: 'search', tier: '2' },
    },
    events: requestsOf('search'),
  },
  {
    body: {
      name: 'The warehouse keeps up',
      description: 'The share of time in which at least 200 items a minute are packed.',
      target: 95,
      time_window: '30d',
      metric_type: 'throughput',
      metric_query: 'shop_packed_items_per_minute',
      threshold: 200,
      threshold_op: 'gte',
      labels: { service: 'packing', tier: '2' },
    },
    events: { series: 'shop shop_packed_items_per_minute{}', min: 200 },
  },
  {
    body: {
      name: 'nines is there',
      description: 'nines probes its own health check. What is before the first start of the demo is made up.',
      target: 99.9,
      time_window: '1h',
      metric_type: 'availability',
      metric_query: 'probe_success{job="nines-health"}',
      labels: { service: 'nines', tier: '3' },
    },
    events: { series: 'nines-health probe_success{}', min: 1 },
  },
  {
    body: {
      name: 'nines answers quickly',
      description: 'Requests to nines that are answered within 250 ms, as it counts them itself.',
      target: 99,
      time_window: '1h',
      metric_type: 'latency',
      good_query: 'sum(rate(http_request_duration_seconds_bucket{job="nines", le="0.25"}[5m]))',
      total_query: 'sum(rate(http_request_duration_seconds_count{job="nines"}[5m]))',
      labels: { service: 'nines', tier: '3' },
    },
    events: {
      good: ['nines http_request_duration_seconds_bucket{0.25,GET,/health}'],
      total: ['nines http_request_duration_seconds_count{GET,/health}'],
    },
  },
]
