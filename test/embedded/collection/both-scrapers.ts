import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createScraper } from '../../../src/embedded/collection/scrape.ts'
import { evaluateInstant, type Result } from '../../../src/embedded/promql/query.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { closeLater } from '../../support/closing.ts'
import { runKit } from '../../support/kit.ts'
import { newer } from '../../support/newer-components.ts'
import { type Answer, outcomeOf } from '../promql/outcomes.ts'
import { select } from '../store/store-world.ts'
import { collectedWorld } from './collected-world.ts'
import { someTarget } from './scrape-world.ts'
import { scrapes, histories } from './target-histories.ts'
import type { RecordedTargets } from './recorded-targets.ts'

/**
 * A scraper that has scraped every history. `endMs`: when it finished. The series of a history have its number as label
 * `history`.
 */
export type ScrapedBy = {
  ask(query: string, timeMs: number): Promise<Result>
  endMs: number
  path(history: number): string
}

const soon = '--scrape.discovery-reload-interval=100ms'

/** Starts a real Prometheus in a folder that scrapes every second. */
export async function scrapeByPrometheus(dir: string, targets: RecordedTargets): Promise<ScrapedBy> {
  const { url }: { url: string } = JSON.parse(
    await runKit('start-prometheus.sh', '--dir', dir, '--bin', newer.prometheus, '--', soon),
  )
  const paths = histories.map((history) => targets.path(history, 'theirs', Date.now))
  const jobs = histories.map(({ name, honorLabels = false, labels = {} }, index) => ({
    job_name: name,
    honor_labels: honorLabels,
    metrics_path: paths[index],
    scrape_timeout: '700ms',
    static_configs: [{ targets: [targets.address], labels: { ...labels, history: String(index) } }],
  }))
  writeFileSync(
    join(dir, 'prometheus.yml'),
    JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: jobs }),
  )
  await fetch(`${url}/-/reload`, { method: 'POST' })
  await targets.visited(paths)
  return {
    endMs: Date.now(),
    path: (history) => paths[history] ?? '',
    async ask(query, timeMs) {
      const body = new URLSearchParams({ query, time: String(timeMs / 1000) })
      const answer: Answer = JSON.parse(await (await fetch(`${url}/api/v1/query`, { method: 'POST', body })).text())
      const result = outcomeOf(answer)
      if (result.type === 'error') throw new Error(result.error)
      return result
    },
  }
}

/** Scrapes with nines every second of a test clock. */
export async function scrapeByOurs(targets: RecordedTargets): Promise<ScrapedBy> {
  const world = collectedWorld()
  closeLater(world.close)
  const store = world.store()
  const deps = {
    outbound: createOutbound({ deny: [] }),
    store,
    clock: world.clock,
    internalTargets: new Map(),
    version: '1',
  }
  const scraper = createScraper(deps)
  const startMs = 1_700_000_000_000
  const paths = histories.map((history) => targets.path(history, 'ours', world.clock.now))
  const opened = histories.map(({ name, honorLabels = false, labels = {} }, index) => {
    const own = { name, honorLabels, labels: { ...labels, history: String(index) }, timeoutMs: 700 }
    const target = { ...someTarget, id: index, ...own, url: `http://${targets.address}${paths[index]}` }
    return { target, series: scraper.open(target) }
  })
  for (let scrape = 0; scrape < scrapes; scrape += 1) {
    world.setNow(startMs + scrape * 1000)
    const run = async ({ target, series }: (typeof opened)[number]) =>
      await series.write(world.clock.now(), await scraper.run(target, new AbortController().signal, series.scrapeCache))
    await Promise.all(opened.map(run))
  }
  const limits = { maxSamples: 1e6, maxSeries: 1e4, expired: () => false }
  return {
    endMs: world.clock.now(),
    path: (history) => paths[history] ?? '',
    ask: async (query, timeMs) =>
      evaluateInstant({ select: (...wanted) => select(store, 1, ...wanted) }, query, timeMs, { limits }),
  }
}
