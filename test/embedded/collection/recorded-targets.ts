import { closeLater } from '../../support/closing.ts'
import { type Page, scrapes, histories, type TargetHistory } from './target-histories.ts'

/** When a scraper came for each scrape, and what the times that stand in the text for it mean. */
type Visits = { timesMs: number[]; ownTimes: Map<number, string> }

export type RecordedTargets = {
  address: string
  /** The path for one scraper of one history; `nowMs`: its clock. */
  path(history: TargetHistory, scraper: string, nowMs: () => number): string
  /** `@3-500` for a time that stood in the text. */
  ownTime(path: string, timeMs: number): string | undefined
  /** Once there was one more visit to all of the paths than there are scrapes to compare. */
  visited(paths: string[]): Promise<void>
}

/** Serves histories; each scraper of each gets it from its beginning. */
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
