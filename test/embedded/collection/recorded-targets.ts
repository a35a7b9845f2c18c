import { closeLater } from '../../support/closing.ts'
import { type Page, scrapes, histories, type TargetHistory } from './target-histories.ts'

/** Times of the scrapes, and the meaning of explicit timestamps in the text. */
type Visits = { timesMs: number[]; ownTimes: Map<number, string> }

export type RecordedTargets = {
  address: string
  /** Path for one scraper of one history; `nowMs`: its clock. */
  path(history: TargetHistory, scraper: string, nowMs: () => number): string
  /** Name of an explicit timestamp, as `@3-500`. */
  ownTime(path: string, timeMs: number): string | undefined
  /** Resolves once all paths had one more scrape than is compared. */
  visited(paths: string[]): Promise<void>
}

/** Serves histories; each scraper gets each history from its start. */
export function recordedTargets(): RecordedTargets {
  const shelf = new Map<
    string,
    { history: TargetHistory; nowMs: () => number; visits: Visits; visited: () => void; done: Promise<void> }
  >()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const one = shelf.get(pathname)
      if (!one) return new Response('', { status: 404 })
      const { timesMs } = one.visits
      const page = one.history.pages[Math.min(timesMs.length, one.history.pages.length - 1)] ?? ''
      timesMs.push(one.nowMs())
      if (timesMs.length > scrapes) one.visited()
      return answer(page, one.visits, request.signal)
    },
  })
  closeLater(() => void server.stop(true))
  return {
    address: `127.0.0.1:${server.port}`,
    path(history, scraper, nowMs) {
      const path = `/${scraper}/${histories.indexOf(history)}`
      const { promise, resolve } = Promise.withResolvers<void>()
      shelf.set(path, { history, nowMs, visits: { timesMs: [], ownTimes: new Map() }, visited: resolve, done: promise })
      return path
    },
    ownTime: (path, timeMs) => shelf.get(path)?.visits.ownTimes.get(timeMs),
    visited: async (paths) => void (await Promise.all(paths.map((path) => shelf.get(path)?.done))),
  }
}

async function answer(page: Page, visits: Visits, signal: AbortSignal): Promise<Response> {
  if (page === 'hangs') {
    const { promise, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    return new Response('')
  }
  if (typeof page === 'string') return new Response(timed(page, visits))
  if ('status' in page) return new Response('', { status: page.status })
  const headers = { 'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8' }
  return new Response(timed(page.openMetrics, visits), { headers })
}

function timed(text: string, { timesMs, ownTimes }: Visits): string {
  return text.replace(/@(\d)([+-]\d+)/g, (written, scrape, offset) => {
    const timeMs = (timesMs[Number(scrape)] ?? NaN) + Number(offset)
    ownTimes.set(timeMs, written)
    return String(timeMs)
  })
}
