import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pointsOf } from '../promql/outcomes.ts'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '../../../src/embedded/promql/query.ts'
import { closeAll } from '../../support/closing.ts'
import { cleanUpAtTheEnd } from '../../support/kit.ts'
import { describeOnNewer } from '../../support/newer-components.ts'
import { scrapeByOurs, scrapeByPrometheus, type ScrapedBy } from './both-scrapers.ts'
import { nameOf } from './collected-world.ts'
import { scrapes, histories } from './target-histories.ts'
import { recordedTargets } from './recorded-targets.ts'

const soonMs = 60_000 // after all samples that a history writes in the future
const betweenMs = 150 // a sample of 500 ms before the next scrape is not seen, even if this scrape was 350 ms late

describeOnNewer('scraped by ours and by a real Prometheus', () => {
  const dir = mkdtempSync(join(tmpdir(), 'nines-scrapes-'))
  const cleanUp = cleanUpAtTheEnd(dir)
  const targets = recordedTargets()
  const scraped: { ours?: ScrapedBy; theirs?: ScrapedBy } = {}
  beforeAll(async () => {
    const both = [scrapeByOurs(targets), scrapeByPrometheus(join(dir, 'prometheus'), targets)] as const
    ;[scraped.ours, scraped.theirs] = await Promise.all(both)
  }, 60_000)
  afterAll(async () => {
    closeAll()
    await cleanUp()
  })

  test.each(histories.map(({ name }, index): [string, number] => [name, index]))('%s', async (_, history) => {
    if (!scraped.ours || !scraped.theirs) throw new Error('nobody has scraped')
    const [ours, theirs] = await Promise.all([outcomeOf(scraped.ours, history), outcomeOf(scraped.theirs, history)])
    expect(Object.keys(theirs.written).length).toBeGreaterThan(4)
    expect(ours).toEqual(theirs)
  })

  /** Stored samples, by scrape number or timestamp name, and the visible ones after each scrape. */
  async function outcomeOf({ ask, endMs, path }: ScrapedBy, history: number) {
    const what = `history="${history}", __name__!="scrape_duration_seconds"`
    const [up] = seriesIn(await ask(`up{history="${history}"}[1h]`, endMs + soonMs))
    const times = (up?.points ?? []).map(([timeMs]) => timeMs).slice(0, scrapes)
    const timeOf = (timeMs: number) => {
      const scrape = times.indexOf(timeMs)
      return scrape < 0 ? targets.ownTime(path(history), timeMs) : `scrape ${scrape}`
    }
    const all = seriesIn(await ask(`{${what}}[1h]`, endMs + soonMs))
    const written = all.map(({ name, points }) => [
      name,
      points.flatMap(([timeMs, value]) => (timeOf(timeMs) === undefined ? [] : [[timeOf(timeMs), value]])),
    ])
    const seen = times.map(async (timeMs) => pointsIn(await ask(`{${what}}`, timeMs + betweenMs)))
    return { written: Object.fromEntries(written), seen: await Promise.all(seen) }
  }
})

function seriesIn(result: Result) {
  if (result.type !== 'matrix') throw new Error(`must be a matrix, not a ${result.type}`)
  return result.series.map((one) => ({ name: nameOf(Object.entries(one.labels)), points: pointsOf(one) }))
}

function pointsIn(result: Result): string[] {
  if (result.type !== 'vector') throw new Error(`must be a vector, not a ${result.type}`)
  return result.samples.map(({ labels, point }) => `${nameOf(Object.entries(labels))} ${point[1]}`).toSorted()
}
