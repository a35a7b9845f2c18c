import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { ResponseHead } from './errors.ts'
import { routeName } from './openapi/routes-table.ts'

/** Counts and logs requests; `done` takes the template of the route, empty where none answers. */
export type RequestLog = {
  begin(request: Request): void
  done(request: Request, route: string, head: Pick<ResponseHead, 'status'>): void
}

export function createRequestLog({ metrics, log }: { metrics: Pick<Metrics, 'requestDone'>; log: Log }): RequestLog {
  const began = new WeakMap<Request, number>()
  return {
    begin: (request) => void began.set(request, performance.now()),
    done(request, route, { status = 200 }) {
      const seconds = (performance.now() - (began.get(request) ?? performance.now())) / 1000
      const head = { method: request.method, route: routeName(route || 'unmatched'), status: Number(status) }
      metrics.requestDone(head.method, head.route, head.status, seconds)
      log.debug('request', { ...head, seconds: Number(seconds.toFixed(6)) })
    },
  }
}
