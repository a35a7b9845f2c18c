import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { findSuggestions } from '../../../src/insight/suggestions/suggestions.ts'
import { createPrometheus } from '../../../src/sources/prometheus/client.ts'
import type { Source } from '../../../src/sources/source.ts'
import { cpuSeconds, median } from '../support/load.ts'
import { startSuggestionsBed } from './suggestions-bed.ts'

const rounds = 5
const maxMs = 2000
const maxQuestions = 30

/**
 * Measures how long a source with 100,000 series works for one run of suggestions, compared with a single query that reads all
 * series.
 */
export async function benchSuggestions(): Promise<void> {
  const bed = await startSuggestionsBed()
  try {
    const prometheus = createPrometheus({ outbound: createOutbound({ deny: [] }), timeoutMs: 30_000, concurrency: 8 })
    const opened = prometheus.open({ id: 1, organizationId: 1, name: 'bed', apiUrl: bed.url, auth: null })
    const runs = []
    const floors = []
    for (let round = 0; round < rounds; round += 1) {
      const { source, asked } = counting(opened)
      const cpuBefore = cpuSeconds(bed.pid)
      const found = await findSuggestions(source, { nowMs: bed.now * 1000, sourceTimeoutMs: 30_000 })
      const cpuMs = 1000 * (cpuSeconds(bed.pid) - cpuBefore)
      runs.push({ ...found, asked, cpuMs, ms: asked.reduce((sum, one) => sum + one.ms, 0) })
      floors.push((await opened.instant('count({__name__!=""})', bed.now)).durationMs)
    }
    const [first] = runs
    const ms = median(runs.map((run) => run.ms))
    const cpuMs = median(runs.map((run) => run.cpuMs))
    const floorMs = median(floors)
    process.stdout.write(`\nSuggestions of a Prometheus with ${bed.series} series, median of ${rounds} runs\n`)
    process.stdout.write(
      `  source time  ${ms.toFixed(0)} ms, at most ${maxMs}; counting all series takes ${floorMs.toFixed(0)} ms\n`,
    )
    process.stdout.write(`  source CPU   ${cpuMs.toFixed(0)} ms\n`)
    process.stdout.write(`  questions    ${first?.asked.length}, at most ${maxQuestions}\n`)
    process.stdout.write(`  suggestions  ${first?.suggestions.length}, gaps ${first?.gaps.length}\n`)
    for (const { expression, ms: took } of first?.asked.toSorted((a, b) => b.ms - a.ms).slice(0, 5) ?? [])
      process.stdout.write(`    ${took.toFixed(0).padStart(5)} ms  ${expression.slice(0, 150)}\n`)
    if (ms > maxMs || (first?.asked.length ?? 0) > maxQuestions) process.exitCode = 1
  } finally {
    await bed.stop()
  }
}

/** Wraps a source to record its range queries and their durations. */
function counting(source: Source): { source: Source; asked: { expression: string; ms: number }[] } {
  const asked: { expression: string; ms: number }[] = []
  return {
    asked,
    source: {
      ...source,
      async range(expression, grid, options) {
        const answer = await source.range(expression, grid, options)
        asked.push({ expression, ms: answer.durationMs })
        return answer
      },
    },
  }
}
