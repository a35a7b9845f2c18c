/** Label that marks failed events, with patterns as in PromQL: of the values that mark a failure, and of all its values. */
export type FailureLabel = { label: string; bad: string; all: string }

/**
 * Metrics of one kind. `metric`: pattern of their full names; `isStandard`: names of well-known libraries, not just an ending.
 * `services`: labels that may name the service, the best first. `matchers`: label values that every series must have.
 * `events`: name of the events that the metrics count; if several metrics of a service count the same events, only the first gets an
 * SLO. Null: the events are named by the metric, without its ending. `{name}`, `{metric}` and `{limit}` of a title are filled in.
 */
export type Family = {
  metric: string
  isStandard: boolean
  events: string | null
  services: readonly string[]
  matchers: Readonly<Record<string, string>>
  title: string
} & (
  | { shape: 'counter'; failing: readonly FailureLabel[] }
  /** A classic histogram: `metric` without `_bucket`. Its count distinguishes failures if it has one of the labels. */
  | { shape: 'histogram'; failing: readonly FailureLabel[]; unitSeconds: number; limitTitle: string }
  /** 1 for success and 0 for failure. */
  | { shape: 'gauge'; kind: 'probe' | 'up' }
)

const common = ['service', 'service_name', 'app', 'application', 'app_kubernetes_io_name', 'job', 'namespace'] as const
const serverErrors = (...labels: string[]): FailureLabel[] =>
  labels.map((label) => ({ label, bad: '5..', all: '[1-5]..' }))

/** Labels in which programs give the status of an HTTP response: 503, or 5xx. */
const httpStatus = serverErrors(
  'code',
  'status',
  'status_code',
  'http_response_status_code',
  'http_status_code',
  'response_code',
  'http_status',
)

/** Codes that https://opentelemetry.io/docs/specs/semconv/rpc/grpc/ counts as errors of the server. */
const grpcErrors = 'Unknown|DeadlineExceeded|Unimplemented|Internal|Unavailable|DataLoss'

const standard = { isStandard: true, matchers: {}, services: common, title: '{name} answers' } as const
const counter = { ...standard, shape: 'counter' } as const
const histogram = {
  ...standard,
  shape: 'histogram',
  unitSeconds: 1,
  limitTitle: '{name} answers within {limit}',
} as const

// Service labels of families with several metrics.
const grpc = ['service', 'app', 'grpc_service', 'job', 'namespace']
const istio = ['destination_service_name', 'destination_canonical_service', 'destination_workload', 'destination_app']
const traefik = ['exported_service', 'service', 'job']
const ingress = ['exported_service', 'service', 'ingress', 'host', 'job']

/**
 * Families of metrics over which SLOs are suggested, the most useful first. An event is suggested once, so a counter of
 * requests precedes the histogram that counts the same requests.
 */
export const families: readonly Family[] = [
  {
    ...counter,
    metric: 'http_requests_total|http_requests_received_total|http_server_requests_total',
    events: 'http',
    failing: httpStatus,
  },
  {
    ...histogram,
    metric: 'http_server_request_duration_seconds', // OpenTelemetry
    events: 'http',
    failing: serverErrors('http_response_status_code', 'http_status_code'),
  },
  {
    ...histogram,
    metric: 'http_server_duration_milliseconds', // OpenTelemetry before 2024
    events: 'http',
    failing: serverErrors('http_status_code', 'http_response_status_code'),
    unitSeconds: 0.001,
  },
  { ...histogram, metric: 'http_request_duration_seconds', events: 'http', failing: httpStatus },
  { ...histogram, metric: 'http_server_requests_seconds', events: 'http', failing: serverErrors('status') }, // Micrometer
  {
    ...counter,
    metric: 'grpc_server_handled_total',
    events: 'grpc',
    services: grpc,
    failing: [{ label: 'grpc_code', bad: grpcErrors, all: '[A-Z].*' }],
    title: '{name} answers (gRPC)',
  },
  {
    ...histogram,
    metric: 'grpc_server_handling_seconds',
    events: 'grpc',
    services: grpc,
    failing: [],
    limitTitle: '{name} answers within {limit} (gRPC)',
  },
  {
    ...counter,
    metric: 'istio_requests_total',
    events: 'http',
    services: istio,
    matchers: { reporter: 'destination' }, // otherwise each request is counted at both of its ends
    failing: serverErrors('response_code'),
  },
  {
    ...histogram,
    metric: 'istio_request_duration_milliseconds',
    events: 'http',
    services: istio,
    matchers: { reporter: 'destination' },
    failing: serverErrors('response_code'),
    unitSeconds: 0.001,
  },
  {
    ...counter,
    metric: 'traefik_service_requests_total',
    events: 'traefik',
    services: traefik,
    failing: serverErrors('code'),
    title: '{name} answers (Traefik)',
  },
  {
    ...histogram,
    metric: 'traefik_service_request_duration_seconds',
    events: 'traefik',
    services: traefik,
    failing: serverErrors('code'),
    limitTitle: '{name} answers within {limit} (Traefik)',
  },
  {
    ...counter,
    metric: 'nginx_ingress_controller_requests',
    events: 'ingress-nginx',
    services: ingress,
    failing: serverErrors('status'),
    title: '{name} answers (ingress)',
  },
  {
    ...histogram,
    metric: 'nginx_ingress_controller_request_duration_seconds',
    events: 'ingress-nginx',
    services: ingress,
    failing: serverErrors('status'),
    limitTitle: '{name} answers within {limit} (ingress)',
  },
  {
    ...counter,
    metric: 'envoy_cluster_upstream_rq_xx',
    events: 'envoy',
    services: ['envoy_cluster_name', 'service', 'job'],
    failing: [{ label: 'envoy_response_code_class', bad: '5', all: '[1-5]' }],
    title: '{name} answers (Envoy)',
  },
  {
    ...histogram,
    metric: 'caddy_http_request_duration_seconds',
    events: 'caddy',
    services: ['host', 'server', 'job'],
    failing: serverErrors('code'),
    title: '{name} answers (Caddy)',
    limitTitle: '{name} answers within {limit} (Caddy)',
  },
  {
    ...counter,
    metric: 'haproxy_backend_http_responses_total',
    events: 'haproxy',
    services: ['proxy', 'backend', 'job'],
    failing: serverErrors('code'),
    title: '{name} answers (HAProxy)',
  },
  {
    ...standard,
    metric: 'probe_success',
    shape: 'gauge',
    kind: 'probe',
    events: 'probe',
    services: ['instance', 'target', 'job'],
  },
  { ...standard, metric: 'up', shape: 'gauge', kind: 'up', events: 'up', services: ['job'], title: '{name} is up' },
  {
    ...counter,
    metric: '.+_requests_total',
    isStandard: false,
    events: null,
    failing: httpStatus,
    title: '{name} answers ({metric})',
  },
  {
    ...histogram,
    metric: '.+_duration_seconds',
    isStandard: false,
    events: null,
    failing: httpStatus,
    title: '{name} answers ({metric})',
    limitTitle: '{name}: {metric} within {limit}',
  },
]

/** Metrics about the scraping itself. */
const scrapeMetrics = /^(promhttp|scrape)_/

/** Finds the family of a series by its metric name (a histogram: `…_bucket`); undefined: no SLO is suggested over it. */
export function familyOf(name: string): Family | undefined {
  if (scrapeMetrics.test(name)) return undefined
  return families.find(
    ({ metric, shape }) =>
      new RegExp(`^(?:${metric})$`).test(shape === 'histogram' ? name.replace(/_bucket$/, '') : name) &&
      (shape === 'histogram') === name.endsWith('_bucket'),
  )
}

/** Pattern of the metric names of all standard families, or of all others; a histogram: `…_bucket`. */
export function namesPattern(isStandard: boolean): string {
  return families
    .filter((family) => family.isStandard === isStandard)
    .map(({ metric, shape }) => (shape === 'histogram' ? `(?:${metric})_bucket` : metric))
    .join('|')
}
