import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd } from '../../../test/support/kit.ts'
import { compareBlocks } from './blocks.ts'
import { jitteredData, kitData } from './data.ts'
import { compareQueries } from './queries.ts'
import { compareScrapes } from './scrapes.ts'

/** `lessFloor`: how many times as much nines costs when what an empty query costs Prometheus is not counted. */
export type Row = {
  what: string
  unit: string
  nines: number
  prometheus?: number
  isRate?: boolean
  lessFloor?: number
}

/** The embedded source beside Debian's Prometheus, with the same samples; five minutes, and 2 GB of disk for a while. */
export async function benchEmbedded(): Promise<void> {
  for (const [data, rounds] of [
    [kitData, 3],
    [jitteredData, 1],
  ] as const)
    await inFolder(async (dir) => {
      const endMs = Math.floor(Date.now() / 60_000) * 60_000
      head(`${data.name}: ${(data.samples / 1e6).toFixed(1)} million samples of 100 series, 30 days`)
      print(await compareBlocks(dir, data, endMs, rounds))
      head('  sum(rate(x{code!~"5.."}[W])) / sum(rate(x[W])); Prometheus over HTTP')
      print(await compareQueries(dir, data, endMs))
    })
  await inFolder(async (dir) => {
    head('an hour of 10,000 series, scraped every 15 s')
    print(await compareScrapes(dir))
  })
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

function print(rows: Row[]): void {
  for (const { what, unit, nines, prometheus, isRate = false, lessFloor } of rows) {
    const figures = [nines, prometheus].map((one) => (one === undefined ? '' : shown(one)).padStart(11))
    const times = prometheus === undefined ? '' : `${ratio(isRate ? prometheus / nines : nines / prometheus)} times`
    const less = lessFloor === undefined ? '' : `, ${ratio(lessFloor)} less floor`
    process.stdout.write(`  ${`${what}, ${unit}`.padEnd(56)} ${figures.join(' ')}  ${times}${less}\n`)
  }
}

const shown = (figure: number) => (figure >= 1000 ? Math.round(figure).toLocaleString('en') : figure.toFixed(2))
const ratio = (figure: number) => figure.toFixed(2)
