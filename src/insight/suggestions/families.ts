/** A label that marks failed events: patterns, as PromQL reads them, of its values that do, and of all its values. */
export type Failing = { label: string; values: string; all: string }

/**
 * Metrics of one kind. `metric` is a pattern of whole names. `services`: labels whose values are suggested one by one, the best
 * first. `where`: values that every series must have, too. `counts` identifies the events: an SLO of a service is suggested
 * once for each; null: each metric counts other events. `{name}`, `{metric}` and `{limit}` of a title are filled in.
 */
export type Family = {
  metric: string
  isKnown: boolean
  counts: string | null
  services: readonly string[]
  where: Readonly<Record<string, string>>
  title: string
} & (
  | { shape: 'counter'; failing: readonly Failing[] }
  /** A classic histogram: `metric` without `_bucket`. Its count distinguishes failures if it has one of the labels. */
  | { shape: 'histogram'; failing: readonly Failing[]; unitSeconds: number; limitTitle: string }
  /** 1 while all is well and 0 otherwise. */
  | { shape: 'gauge'; kind: 'probe' | 'up' }
)

const common = ['service', 'service_name', 'app', 'application', 'app_kubernetes_io_name', 'job', 'namespace'] as const
const serverErrors = (...labels: string[]): Failing[] =>
  labels.map((label) => ({ label, values: '5..', all: '[1-5]..' }))

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

const knownFamily = { isKnown: true, where: {}, services: common, title: '{name} answers' } as const
const counter = { ...knownFamily, shape: 'counter' } as const
const histogram = {
  ...knownFamily,
  shape: 'histogram',
  unitSeconds: 1,
  limitTitle: '{name} answers within {limit}',
} as const

/**
 * Families of metrics over which SLOs are suggested, the most useful first. An event is suggested once, so a counter of
 * requests precedes the histogram that counts the same requests.
 */
export const families: readonly Family[] = [
  {
    ...counter,
    metric: 'http_requests_total|http_requests_received_total|http_server_requests_total',
    counts: 'http',
    failing: httpStatus,
  },
  {
    ...histogram,
    metric: 'http_server_request_duration_seconds', // OpenTelemetry
    counts: 'http',
    failing: serverErrors('http_response_status_code', 'http_status_code'),
  },
  {
    ...histogram,
    metric: 'http_server_duration_milliseconds', // OpenTelemetry before 2024
    counts: 'http',
    failing: serverErrors('http_status_code', 'http_response_status_code'),
    unitSeconds: 0.001,
  },
  { ...histogram, metric: 'http_request_duration_seconds', counts: 'http', failing: httpStatus },
  { ...histogram, metric: 'http_server_requests_seconds', counts: 'http', failing: serverErrors('status') }, // Micrometer
  {
    ...counter,
    metric: 'grpc_server_handled_total',
    counts: 'grpc',
    services: ['service', 'app', 'grpc_service', 'job', 'namespace'],
    failing: [{ label: 'grpc_code', values: grpcErrors, all: '[A-Z].*' }],
    title: '{name} answers (gRPC)',
  },
  {
    ...histogram,
    metric: 'grpc_server_handling_seconds',
    counts: 'grpc',
    services: ['service', 'app', 'grpc_service', 'job', 'namespace'],
    failing: [],
    limitTitle: '{name} answers within {limit} (gRPC)',
  },
  {
    ...counter,
    metric: 'istio_requests_total',
    counts: 'http',
    services: ['destination_service_name', 'destination_canonical_service', 'destination_workload', 'destination_app'],
    where: { reporter: 'destination' }, // otherwise each request is counted at both of its ends
    failing: serverErrors('response_code'),
  },
  {
    ...histogram,
    metric: 'istio_request_duration_milliseconds',
    counts: 'http',
    services: ['destination_service_name', 'destination_canonical_service', 'destination_workload', 'destination_app'],
    where: { reporter: 'destination' },
    failing: serverErrors('response_code'),
    unitSeconds: 0.001,
  },
  {
    ...counter,
    metric: 'traefik_service_requests_total',
    counts: 'traefik',
    services: ['exported_service', 'service', 'job'],
    failing: serverErrors('code'),
    title: '{name} answers (Traefik)',
  },
  {
    ...histogram,
    metric: 'traefik_service_request_duration_seconds',
    counts: 'traefik',
    services: ['exported_service', 'service', 'job'],
    failing: serverErrors('code'),
    limitTitle: '{name} answers within {limit} (Traefik)',
  },
  {
    ...counter,
    metric: 'nginx_ingress_controller_requests',
    counts: 'ingress-nginx',
    services: ['exported_service', 'service', 'ingress', 'host', 'job'],
    failing: serverErrors('status'),
    title: '{name} answers (ingress)',
  },
  {
    ...histogram,
    metric: 'nginx_ingress_controller_request_duration_seconds',
    counts: 'ingress-nginx',
    services: ['exported_service', 'service', 'ingress', 'host', 'job'],
    failing: serverErrors('status'),
    limitTitle: '{name} answers within {limit} (ingress)',
  },
  {
    ...counter,
    metric: 'envoy_cluster_upstream_rq_xx',
    counts: 'envoy',
    services: ['envoy_cluster_name', 'service', 'job'],
    failing: [{ label: 'envoy_response_code_class', values: '5', all: '[1-5]' }],
    title: '{name} answers (Envoy)',
  },
  {
    ...histogram,
    metric: 'caddy_http_request_duration_seconds',
    counts: 'caddy',
    services: ['host', 'server', 'job'],
    failing: serverErrors('code'),
    title: '{name} answers (Caddy)',
    limitTitle: '{name} answers within {limit} (Caddy)',
  },
  {
    ...counter,
    metric: 'haproxy_backend_http_responses_total',
    counts: 'haproxy',
    services: ['proxy', 'backend', 'job'],
    failing: serverErrors('code'),
    title: '{name} answers (HAProxy)',
  },
  {
    ...knownFamily,
    metric: 'probe_success',
    shape: 'gauge',
    kind: 'probe',
    counts: 'probe',
    services: ['instance', 'target', 'job'],
  },
  { ...knownFamily, metric: 'up', shape: 'gauge', kind: 'up', counts: 'up', services: ['job'], title: '{name} is up' },
  {
    ...counter,
    metric: '.+_requests_total',
    isKnown: false,
    counts: null,
    failing: httpStatus,
    title: '{name} answers ({metric})',
  },
  {
    ...histogram,
    metric: '.+_duration_seconds',
    isKnown: false,
    counts: null,
    failing: httpStatus,
    title: '{name} answers ({metric})',
    limitTitle: '{name}: {metric} within {limit}',
  },
]

/** Metrics about the scraping itself. */
const ofScrapes = /^(promhttp|scrape)_/

/**
 * Finds the family of a metric by the name of its series, of a histogram its buckets; undefined: nothing is suggested over it.
 */
export function familyOf(name: string): Family | undefined {
  if (ofScrapes.test(name)) return undefined
  return families.find(
    ({ metric, shape }) =>
      new RegExp(`^(?:${metric})$`).test(shape === 'histogram' ? name.replace(/_bucket$/, '') : name) &&
      (shape === 'histogram') === name.endsWith('_bucket'),
  )
}

/** Pattern of the names of all series of these families; of a histogram its buckets. */
export function namesPattern(isKnown: boolean): string {
  return families
    .filter((family) => family.isKnown === isKnown)
    .map(({ metric, shape }) => (shape === 'histogram' ? `(?:${metric})_bucket` : metric))
    .join('|')
}
