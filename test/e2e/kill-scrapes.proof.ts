import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { closeAll, closeLater } from '../support/closing.ts'
import { newFolder, type Nines, register, startNines } from '../support/process.ts'
import { seeded } from '../support/seeded.ts'

afterEach(closeAll)

const targets = 25
const series = 100
// from the answer of a target until it is written, on a busy machine
const slackMs = 500
/** Age of a scrape that may be lost at a signal: since the last flush, or while it was under way. */
const lostMs = { SIGKILL: 2000 + slackMs, SIGTERM: slackMs }

/** Targets that count their scrapes: `scrapes{series="S"}` is 1000 times the scrape number plus S. */
function countingTargets() {
  const scrapedMs: number[][] = Array.from({ length: targets }, () => [])
  let wake = () => {}
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      const mine = scrapedMs[Number(new URL(url).pathname.slice(1))] ?? []
      mine.push(Date.now())
      wake()
      const lines = Array.from({ length: series }, (_, at) => `scrapes{series="${at}"} ${1000 * mine.length + at}\n`)
      return new Response(lines.join(''))
    },
  })
  closeLater(() => void server.stop(true))
  const total = () => scrapedMs.reduce((sum, times) => sum + times.length, 0)
  return {
    urls: scrapedMs.map((_, target) => `${server.url.href}${target}`),
    /** Scrape times of each target, by the wall clock. */
    scrapedMs,
    async scrapedMore(times: number) {
      const enough = total() + times
      while (total() < enough) await new Promise<void>((resolve) => (wake = resolve))
    },
  }
}

/**
 * Numbers of the stored scrapes. Throws unless every series of a target has the same scrapes, each once, with the served
 * values.
 */
async function storedScrapes(nines: Nines, token: string, target: number, scrapedMs: number[]): Promise<Set<number>> {
  const query = encodeURIComponent(`scrapes{job="t${target}"}[1h]`)
  const { body } = await nines.call('GET', `/embedded/prometheus/api/v1/query?query=${query}`, undefined, token)
  const found: { metric: { series: string }; values: [number, string][] }[] = body.data.result
  const scrapes = (found[0]?.values ?? []).map(([, value]) => Math.floor(Number(value) / 1000))
  expect([0, series]).toContain(found.length)
  expect(scrapes).toEqual([...new Set(scrapes)].toSorted((a, b) => a - b))
  for (const { metric, values } of found) {
    expect(values.map(([, value]) => Number(value))).toEqual(scrapes.map((each) => 1000 * each + Number(metric.series)))
  }
  for (const [at, scrape] of scrapes.entries()) {
    const late = (scrapedMs[scrape - 1] ?? 0) - 1000 * (found[0]?.values[at]?.[0] ?? 0)
    expect(late).toBeWithin(0, 5000)
  }
  return new Set(scrapes)
}

function expectWhole(dataDir: string): void {
  for (const name of ['samples.db', 'nines.db']) {
    using db = new Database(join(dataDir, name), { readonly: true })
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  }
}

test('SIGKILL under ingest loses the scrapes since the last flush at most, and SIGTERM none', async () => {
  const dataDir = newFolder()
  const random = seeded(8)
  const { urls, scrapedMs, scrapedMore } = countingTargets()
  const ends: { atMs: number; signal: keyof typeof lostMs }[] = []
  let token = ''
  for (const signal of ['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGTERM', undefined] as const) {
    const nines = await startNines({ dataDir })
    expectWhole(dataDir)
    if (token === '') token = await collect(nines, urls)
    for (const [target, times] of scrapedMs.entries()) {
      const stored = await storedScrapes(nines, token, target, times)
      const mayBeLost = (scrapeMs: number) => {
        const end = ends.find(({ atMs }) => scrapeMs <= atMs)
        return !end || end.atMs - scrapeMs <= lostMs[end.signal]
      }
      expect(times.filter((atMs, at) => !stored.has(at + 1) && !mayBeLost(atMs))).toEqual([])
    }
    if (!signal) break
    await scrapedMore(8 + Math.floor(random() * 8))
    await Bun.sleep(1000 * random())
    ends.push({ atMs: Date.now(), signal })
    nines.kill(signal)
    expect(await nines.exited).toBe(signal === 'SIGKILL' ? 128 + 9 : 0)
  }
  expect(scrapedMs.flat().length).toBeGreaterThanOrEqual(32)
}, 60_000)

async function collect(nines: Nines, urls: string[]): Promise<string> {
  const token = await register(nines, 'ada')
  for (const [at, url] of urls.entries()) {
    const target = { name: `t${at}`, url, interval_seconds: 5, timeout_seconds: 4 }
    expect((await nines.call('POST', '/api/v1/embedded/targets', target, token)).status).toBe(201)
  }
  return token
}
