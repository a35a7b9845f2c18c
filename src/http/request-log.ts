import { stopwatch } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { ResponseHead } from './errors.ts'
import { routeName } from './openapi/routes-table.ts'

/** Counts and logs requests. `done` gets the route template; empty if no route matched. */
type RequestLog = {
  begin(request: Request): void
  done(request: Request, route: string, head: Pick<ResponseHead, 'status'>): void
}

export function createRequestLog({ metrics, log }: { metrics: Pick<Metrics, 'requestDone'>; log: Log }): RequestLog {
  let last: { request: Request; atMs: number } | undefined // most requests end before the next one begins: no map needed
  const earlierStarts = new WeakMap<Request, number>() // start times in ms

  function elapsedSeconds(request: Request): number {
    const beganMs = last?.request === request ? last.atMs : earlierStarts.get(request)
    return beganMs === undefined ? 0 : (stopwatch.now() - beganMs) / 1000
  }

  return {
    begin(request) {
      if (last) earlierStarts.set(last.request, last.atMs)
      last = { request, atMs: stopwatch.now() }
    },
    done(request, route, { status = 200 }) {
      const seconds = elapsedSeconds(request)
      const head = { method: request.method, route: routeName(route || 'unmatched'), status: Number(status) }
      if (last?.request === request) last = undefined
      metrics.requestDone(head.method, head.route, head.status, seconds)
      log.debug('request', { ...head, seconds: Math.round(seconds * 1e6) / 1e6 })
    },
  }
}
