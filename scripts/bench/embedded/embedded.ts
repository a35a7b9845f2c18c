import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd } from '../../../test/support/kit.ts'
import type { Figure } from '../goals.ts'
import { compareBlocks } from './blocks.ts'
import { jitteredData, kitData } from './data.ts'
import { compareQueries } from './queries.ts'
import { compareScrapes } from './scrapes.ts'
import { measureStalls } from './stalls.ts'

/**
 * Figures of nines and Prometheus for the same work. `isRate`: more is better, otherwise less. `goal`: maximum cost of nines as a
 * multiple of Prometheus.
 */
export type ComparisonRow = {
  what: string
  unit: string
  nines: number
  prometheus?: number
  isRate?: boolean
  goal?: number
}

/**
 * Compares the embedded source with Debian's Prometheus on the same samples. Takes five minutes, and 2 GB of disk temporarily.
 */
export async function benchEmbedded(): Promise<Figure[]> {
  const figures: Figure[] = []
  const report = (where: string, rows: ComparisonRow[]) => {
    print(rows)
    figures.push(...rows.flatMap((row) => figureOf(where, row)))
  }
  for (const [data, rounds] of [
    [kitData, 3],
    [jitteredData, 1],
  ] as const)
    await inFolder(async (dir) => {
      const endMs = Math.floor(Date.now() / 60_000) * 60_000
      head(`${data.name}: ${(data.samples / 1e6).toFixed(1)} million samples of 100 series, 30 days`)
      report(data.name, await compareBlocks(dir, data, endMs, rounds))
      head('  sum(rate(x{code!~"5.."}[W])) / sum(rate(x[W])), both over HTTP')
      report(data.name, await compareQueries(dir, data, endMs))
    })
  await inFolder(async (dir) => {
    head('an hour of 10,000 series, scraped every 15 s')
    report('scrapes', await compareScrapes(dir))
  })
  await inFolder(async (dir) => {
    figures.push(...(await measureStalls(dir)))
  })
  return figures
}

function figureOf(where: string, { what, unit, nines, prometheus, isRate = false, goal }: ComparisonRow): Figure[] {
  if (prometheus === undefined || goal === undefined) return []
  const beside = { name: 'Prometheus', value: prometheus }
  const bound = isRate ? { atLeast: 1 / goal } : { atMost: goal }
  return [{ what: `${what}; ${where}`, value: nines, unit, beside, goal: bound }]
}

async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const stop = cleanUpAtTheEnd(dir)
  try {
    await work(dir)
  } finally {
    await stop()
  }
}

function head(text: string): void {
  process.stdout.write(`\n${text.padEnd(84)} nines  Prometheus  nines costs\n`)
}

function print(rows: ComparisonRow[]): void {
  for (const { what, unit, nines, prometheus, isRate = false } of rows) {
    const figures = [nines, prometheus].map((one) => (one === undefined ? '' : shown(one)).padStart(11))
    const times = prometheus === undefined ? '' : `${ratio(isRate ? prometheus / nines : nines / prometheus)} times`
    process.stdout.write(`  ${`${what}, ${unit}`.padEnd(56)} ${figures.join(' ')}  ${times}\n`)
  }
}

const shown = (figure: number) => (figure >= 1000 ? Math.round(figure).toLocaleString('en') : figure.toFixed(2))
const ratio = (figure: number) => figure.toFixed(2)
