import { Counter, Histogram, Registry } from 'prom-client'

/** The numbers nines keeps about itself, in the names of the specification (4.6). */
export type Metrics = {
  /** `path` is the route template (`/slos/:id`), or `unmatched`: never the raw path, which has no bound. */
  requestDone(method: string, path: string, status: number, seconds: number): void
  /** The text exposition format 0.0.4, and its Content-Type. */
  exposition(): Promise<{ text: string; contentType: string }>
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'HTTP requests answered, by method, route and status.',
    labelNames: ['method', 'path', 'status'] as const,
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer an HTTP request, by method and route.',
    labelNames: ['method', 'path'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  return {
    requestDone(method, path, status, seconds) {
      const name = knownMethods.has(method) ? method : 'other'
      requests.inc({ method: name, path, status })
      durations.observe({ method: name, path }, seconds)
    },
    exposition: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  }
}
