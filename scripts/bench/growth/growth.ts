import { evaluateIn } from '../evaluate/evaluate.ts'
import type { Figure } from '../goals.ts'
import { printedBy } from '../support/child.ts'
import { median } from '../support/load.ts'
import { startScaleBed } from '../support/scale-bed.ts'
import type { Costs } from './nines.ts'

const sizes = [10, 100, 1000, 10_000]
const rounds = 5

/** Exponent of n log n between 1,000 and 10,000: it grows by ten times 4/3, like n to the power of 1.125. */
const exponentOfNLogN = 1 + Math.log10(Math.log(10_000) / Math.log(1000))

/**
 * Measures the cost of each operation with 10 to 10,000 SLOs in one organization, each after a commit, so that no response is
 * cached. Reports the exponent of its growth from 1,000 to 10,000, where constant cost matters least.
 */
export async function benchGrowth(): Promise<Figure[]> {
  const costsBySize: Costs[] = []
  for (const slos of sizes) {
    const costsOfOperations = await printedBy<Costs>('growth/nines.ts', String(slos))
    costsBySize.push({ ...costsOfOperations, ...(await costOfEvaluation(slos)) })
  }
  const names = Object.keys(costsBySize[0] ?? {})
  process.stdout.write(`\ngrowth, by the number of SLOs\n  ${''.padEnd(44)}${sizes.map(cellOf).join('')}  exponent\n`)
  return names.map((name) => {
    const row = costsBySize.map((costs) => costs[name]?.value ?? Number.NaN)
    const unit = costsBySize[0]?.[name]?.unit ?? ''
    const [fewer = Number.NaN, more = Number.NaN] = row.slice(-2)
    const exponent = Math.log10(more / fewer)
    process.stdout.write(`  ${`${name}, ${unit}`.padEnd(44)}${row.map(cellOf).join('')}  ${exponent.toFixed(2)}\n`)
    return { what: `growth: ${name}`, value: exponent, unit: '', goal: { atMost: Number(exponentOfNLogN.toFixed(3)) } }
  })
}

/** CPU milliseconds of nines for a round of evaluations of SLOs of 30 days, on a real Prometheus. */
async function costOfEvaluation(slos: number): Promise<Costs> {
  const bed = await startScaleBed()
  try {
    const report = await evaluateIn(bed, { slos, rounds, backfilled: 1 })
    return {
      'a round of evaluations': { value: median(report.rounds.map((round) => round.ownCpu)) * 1000, unit: 'ms CPU' },
    }
  } finally {
    await bed.stop()
  }
}

function cellOf(value: number): string {
  return (value >= 100 ? value.toFixed(0) : value.toPrecision(3)).padStart(10)
}
