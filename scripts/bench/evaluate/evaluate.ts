import { hoursKeptSeconds, minutesKeptSeconds } from '../../../src/ledger/bucket.ts'
import type { Cost, Report, Task } from './nines.ts'
import { printedBy } from '../support/child.ts'
import { cpuSeconds, median } from '../support/load.ts'
import type { Figure } from '../goals.ts'
import { type ScaleBed, startScaleBed } from '../support/scale-bed.ts'
import { scaleQuery } from '../support/scale-slos.ts'

const rounds = 70 // each checkpoint is renewed once, and an hour is closed
const backfilled = 50
const askedDirectly = 1000 // the time of more is extrapolated
const concurrency = 4
const compared = 50

/**
 * Compares a round of evaluations of SLOs of 30 days, once a minute as in nines, with direct Prometheus queries of each window.
 * Also measures the disk usage of an SLO.
 */
export async function benchEvaluate(): Promise<Figure[]> {
  const figures: Figure[] = []
  const bed = await startScaleBed()
  try {
    for (const slos of [1000, 5000]) {
      process.stdout.write(`\nevaluating ${slos} SLOs of 30d, real Prometheus, ${bed.services} services\n`)
      const direct = await askEach(bed, Math.min(slos, askedDirectly))
      const times = slos / Math.min(slos, askedDirectly)
      const scaled = times > 1 ? ` (${askedDirectly} asked, times ${times})` : ''
      line(
        'asked directly',
        `${(direct.seconds * times).toFixed(1)} s a round, source ${(direct.sourceCpu * times).toFixed(1)} s CPU${scaled}`,
      )
      const report = await evaluateIn(bed, { slos, rounds, backfilled })
      await printReport(report, bed)
      if (slos === 5000) figures.push(...figuresOf(report))
    }
    figures.push(await benchComposites(bed))
    const large = await evaluateIn(bed, { slos: 20_000, rounds: 3, backfilled: 1 })
    const value = median(large.rounds.map(({ seconds }) => seconds))
    figures.push({ what: 'evaluation of 20,000 SLOs of 30d', value, unit: 's', goal: { atMost: 60 } })
    return figures
  } finally {
    await bed.stop()
  }
}

const compositeRounds = 12

/** Compares rounds with 200 composites over ten of 5,000 SLOs each with rounds without them. */
export async function benchComposites(bed: ScaleBed): Promise<Figure> {
  const cpu = async (composites: number) => {
    const { rounds } = await evaluateIn(bed, { slos: 5000, rounds: compositeRounds, backfilled: 1, composites })
    const [own, elapsed] = [rounds.map(({ ownCpu }) => ownCpu), rounds.map(({ seconds }) => seconds)].map(median)
    line(`${composites} composites`, `nines ${own?.toFixed(2)} s CPU a round, ${elapsed?.toFixed(2)} s`)
    return own ?? Number.NaN
  }
  const without = await cpu(0)
  const value = 100 * ((await cpu(200)) / without - 1)
  return { what: 'CPU of a round of 5,000 SLOs that 200 composites add', value, unit: '%', goal: { atMost: 10 } }
}

/** Figures of all rounds, including the round that closes an hour. */
function figuresOf({ rounds }: Report): Figure[] {
  const seconds = rounds.map((round) => round.seconds)
  const what = 'evaluation of 5,000 SLOs of 30d'
  return [
    { what: `${what}, a round`, value: median(seconds), unit: 's', goal: { atMost: 1.5 } },
    { what: `${what}, the longest round`, value: Math.max(...seconds), unit: 's', goal: { atMost: 3 } },
    {
      what: `${what}, CPU of nines`,
      value: median(rounds.map(({ ownCpu }) => ownCpu)),
      unit: 's',
      goal: { atMost: 1 },
    },
  ]
}

/** Sends an instant query for each window, each at a different second, so that no cache can answer. */
async function askEach(bed: ScaleBed, count: number): Promise<Pick<Cost, 'seconds' | 'sourceCpu'>> {
  const [began, cpuBefore] = [performance.now(), cpuSeconds(bed.pid)]
  let next = 0
  const work = Array.from({ length: concurrency }, async () => {
    while (next < count) {
      const place = next++
      await ask(bed, place, bed.now - 300 - place)
    }
  })
  await Promise.all(work)
  return { seconds: (performance.now() - began) / 1000, sourceCpu: cpuSeconds(bed.pid) - cpuBefore }
}

/** Queries the SLI in percent. A value up to 1 is a ratio: no SLI of the test data is as low as 1 %. */
async function ask({ url, services }: ScaleBed, place: number, time: number): Promise<number> {
  const body = new URLSearchParams({ query: scaleQuery(place, services, '30d'), time: String(time) })
  const response = await fetch(`${url}/api/v1/query`, { method: 'POST', body })
  const answer = (await response.json()) as { data?: { result: { value: [number, string] }[] } }
  const value = Number(answer.data?.result[0]?.value[1] ?? Number.NaN)
  if (Number.isNaN(value)) throw new Error('Prometheus gave no value')
  return value > 1 ? value : value * 100
}

/** Runs the rounds in a separate process, then the backfill of the first `backfilled` SLOs. */
export async function evaluateIn(
  { url, pid, now, services }: ScaleBed,
  task: Pick<Task, 'slos' | 'rounds' | 'backfilled' | 'composites'>,
): Promise<Report> {
  return printedBy<Report>('evaluate/nines.ts', JSON.stringify({ ...task, services, url, pid, now } satisfies Task))
}

async function printReport(report: Report, bed: ScaleBed): Promise<void> {
  const { first, rounds, failed, sliPercents, backfill, peakRssBytes, tables } = report
  if (failed > 0) throw new Error(`${failed} evaluations failed`)
  const all = (pick: (cost: Report['rounds'][number]) => number) => {
    const values = rounds.map(pick)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return `${median(values).toFixed(2)} (mean ${mean.toFixed(2)}, most ${Math.max(...values).toFixed(2)})`
  }
  const of = ({ seconds, sourceCpu, ownCpu }: Cost) =>
    `${seconds.toFixed(1)} s, source ${sourceCpu.toFixed(1)} s CPU, nines ${ownCpu.toFixed(1)} s CPU`
  line(`nines, ${rounds.length} rounds`, `median ${all((round) => round.seconds)} s a round`)
  line('  source CPU', `median ${all((round) => round.sourceCpu)} s`)
  line('  nines CPU', `median ${all((round) => round.ownCpu)} s`)
  line('  checkpoints renewed', `median ${all((round) => round.renewedCheckpoints)}`)
  line('  peak memory', `${(peakRssBytes / 1e6).toFixed(0)} MB`)
  line('the first round', of(first))
  line(`backfill of ${backfilled}`, of(backfill))
  const differences = await Promise.all(
    sliPercents.slice(0, compared).map(async (percent, place) => {
      const direct = await ask(bed, place, bed.now)
      return Math.abs(percent - direct) / (100 - direct)
    }),
  )
  line(`budget of ${compared}`, `at most ${(Math.max(...differences) * 100).toFixed(4)} % of itself off a direct query`)
  printDisk(tables)
}

/** Prints the rows of an SLO after a year, and their size as measured in the new database. */
function printDisk(tables: Report['tables']): void {
  const kept = {
    buckets: minutesKeptSeconds / 60 + hoursKeptSeconds / 3600 + 365,
    evaluations: 2 * 1440 + 33 * 24 + 330, // rolled up after 2 and after 35 days: src/evaluation/roll-up-store.ts
  }
  const bytesOf = Object.entries(kept).map(([name, rows]) => {
    const table = tables.find((one) => one.name === name) ?? { rows: 0, bytes: 0 }
    const bytes = table.bytes / table.rows
    line(`  ${name}`, `${rows} rows an SLO after a year, ${bytes.toFixed(0)} bytes each`)
    return rows * bytes
  })
  line('disk', `${(bytesOf.reduce((sum, bytes) => sum + bytes, 0) / 1e6).toFixed(2)} MB an SLO after a year`)
}

function line(what: string, figures: string): void {
  process.stdout.write(`  ${what.padEnd(22)} ${figures}\n`)
}
