import { readPromql } from '../../../src/promql/read.ts'
import { hostileTexts, promqlPieces } from '../../../test/support/promql-texts.ts'
import type { Figure } from '../goals.ts'

/** CPU time of the slowest of the longest texts of PromQL that are costly to parse, each at its best of three. */
export async function benchHostileTexts(): Promise<Figure[]> {
  const costs = promqlPieces.flatMap(hostileTexts).map((text) => ({
    text: text.slice(0, 20),
    milliseconds: Math.min(...Array.from({ length: 3 }, () => cpuMsOfReading(text))),
  }))
  const slowest = costs.reduce((worst, cost) => (cost.milliseconds > worst.milliseconds ? cost : worst))
  return [
    {
      what: `16 kB of ${JSON.stringify(slowest.text)}, the slowest of ${costs.length} hostile texts, parsed`,
      value: slowest.milliseconds,
      unit: 'ms',
      goal: { atMost: 500 },
    },
  ]
}

function cpuMsOfReading(text: string): number {
  const before = process.threadCpuUsage()
  readPromql(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
