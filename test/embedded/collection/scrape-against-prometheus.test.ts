import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pointsOf } from '../promql/outcomes.ts'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '../../../src/embedded/promql/query.ts'
import { closeAll } from '../../support/closing.ts'
import { cleanUpAtTheEnd } from '../../support/kit.ts'
import { describeOnNewer } from '../../support/newer.ts'
import { scrapeByOurs, scrapeByPrometheus, type Told } from './both-scrapers.ts'
import { nameOf } from './collected-world.ts'
import { scrapes, stories } from './target-stories.ts'
import { toldTargets } from './told-targets.ts'

const soonMs = 60_000 // after everything that a story writes ahead of its time
const betweenMs = 400 // after a scrape, and before the next

describeOnNewer('scraped by ours and by a real Prometheus', () => {
  const dir = mkdtempSync(join(tmpdir(), 'nines-scrapes-'))
  const cleanUp = cleanUpAtTheEnd(dir)
  const targets = toldTargets()
  const told: { ours?: Told; theirs?: Told } = {}
  beforeAll(async () => {
    const both = [scrapeByOurs(targets), scrapeByPrometheus(join(dir, 'prometheus'), targets)] as const
    ;[told.ours, told.theirs] = await Promise.all(both)
  }, 60_000)
  afterAll(async () => {
    closeAll()
    await cleanUp()
  })

  test.each(stories.map(({ name }, index): [string, number] => [name, index]))('%s', async (_, story) => {
    if (!told.ours || !told.theirs) throw new Error('nobody has scraped')
    const [ours, theirs] = await Promise.all([history(told.ours, story), history(told.theirs, story)])
    expect(Object.keys(theirs.written).length).toBeGreaterThan(4)
    expect(ours).toEqual(theirs)
  })

  /** What is written, by the number of a scrape or a time as the story has it, and what is seen after each scrape. */
  async function history({ ask, endMs, path }: Told, story: number) {
    const what = `story="${story}", __name__!="scrape_duration_seconds"`
    const [up] = seriesIn(await ask(`up{story="${story}"}[1h]`, endMs + soonMs))
    const times = (up?.points ?? []).map(([timeMs]) => timeMs).slice(0, scrapes)
    const timeOf = (timeMs: number) => {
      const scrape = times.indexOf(timeMs)
      return scrape < 0 ? targets.ownTime(path(story), timeMs) : `scrape ${scrape}`
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
