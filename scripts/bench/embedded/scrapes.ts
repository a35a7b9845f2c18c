import { join } from 'node:path'
import { runKit } from '../../../test/support/kit.ts'
import { bytesIn, openStore } from './blocks.ts'
import type { Report } from './nines.ts'
import { paceMs, scrapes, seriesCount, startTarget, stepMs, valueOf } from './target.ts'
import type { ComparisonRow } from './embedded.ts'
import { cpuSeconds, memoryOf, median } from '../support/load.ts'

const samples = seriesCount * scrapes
const megabyte = 1e6

/**
 * Compares an hour of scrapes of 10,000 series, sped up, by a process that does nothing else and by Prometheus: CPU time, and
 * memory and disk afterwards. The process is compiled as nines is.
 */
export async function compareScrapes(dir: string): Promise<ComparisonRow[]> {
  const alone = median([1, 2, 3].map(() => appendAlone(dir)))
  const nines = await scrapeWithNines(join(dir, 'nines'))
  const prometheus = await scrapeWithPrometheus(join(dir, 'prometheus'))
  const both = (what: string, unit: string, figure: (one: Report) => number) =>
    ({ what, unit, nines: figure(nines), prometheus: figure(prometheus) }) satisfies ComparisonRow
  return [
    { ...both('CPU of a scrape', 'ms', (one) => (1000 * one.cpuSeconds * seriesCount) / one.samples), goal: 1.5 },
    { what: 'append and flush alone', unit: 'samples/s of CPU', nines: alone },
    { ...both('memory after the scrapes', 'MB', ({ memory }) => memory.rss / megabyte), goal: 1.3 },
    both('  at most', 'MB', ({ memory }) => memory.peak / megabyte),
    both('disk, logs included', 'MB', ({ diskBytes }) => diskBytes / megabyte),
  ]
}

async function scrapeWithNines(folder: string): Promise<Report> {
  const target = startTarget(Date.now() - scrapes * stepMs, () => {})
  const program = await compiled(join(import.meta.dir, 'nines.ts'), `${folder}.bin`)
  const child = Bun.spawn([program, folder, `http://${target.address}`], { env: {}, stdout: 'pipe' })
  const printed = await new Response(child.stdout).text()
  await target.stop()
  if ((await child.exited) !== 0) throw new Error('nines ended before it was measured')
  return JSON.parse(printed) as Report
}

async function compiled(program: string, outfile: string): Promise<string> {
  const how = [
    '--compile',
    '--bytecode',
    '--format=esm',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
  ]
  const build = Bun.spawn([process.execPath, 'build', ...how, program, '--outfile', outfile], { stdout: 'ignore' })
  if ((await build.exited) !== 0) throw new Error(`${program} cannot be compiled`)
  return outfile
}

/** Shifts the samples ahead: Prometheus accepts samples up to an hour older than the newest, which is the `up` of now. */
const newestAheadMs = 60_000

async function scrapeWithPrometheus(folder: string): Promise<Report> {
  const { promise: allScraped, resolve } = Promise.withResolvers<void>()
  const target = startTarget(Date.now() + newestAheadMs - scrapes * stepMs, (count) => {
    if (count === scrapes + 1) resolve()
  })
  const options = ['--dir', folder, '--scrape', target.address, '--scrape-interval', `${paceMs}ms`]
  const { pid, url } = JSON.parse(await runKit('start-prometheus.sh', ...options)) as { pid: number; url: string }
  await allScraped
  const held = { cpuSeconds: cpuSeconds(pid), memory: memoryOf(pid), diskBytes: bytesIn(join(folder, 'data')) }
  await target.stop()
  const query = new URLSearchParams({ query: 'sum(count_over_time(http_server_things[2h]))', time: soon() })
  const answer = (await (await fetch(`${url}/api/v1/query?${query.toString()}`)).json()) as Counted
  const counted = Number(answer.data.result[0]?.value[1])
  if (!(counted > 0.95 * samples)) throw new Error(`Prometheus has ${counted} samples, not ${samples}`)
  return { ...held, samples: counted } // a scrape may have been skipped
}

type Counted = { data: { result: { value: [number, string] }[] } }

const soon = () => String((Date.now() + newestAheadMs) / 1000)

/** Samples appended and flushed per second of CPU time, of series whose labels are known. */
function appendAlone(dir: string): number {
  const store = openStore(join(dir, `alone ${performance.now()}`), Date.now())
  const names = Array.from({ length: seriesCount }, (_, index) => [['__name__', `series_${index}`]] as const)
  const values = Array.from({ length: 60 }, (_, round) => names.map((_, index) => valueOf(round, index)))
  const before = process.cpuUsage()
  for (const [round, each] of values.entries()) {
    for (const [index, name] of names.entries()) store.append(1, name, round * stepMs, each[index] ?? NaN)
    store.flush()
  }
  const { user, system } = process.cpuUsage(before)
  store.close()
  return (values.length * seriesCount) / ((user + system) / 1e6)
}
