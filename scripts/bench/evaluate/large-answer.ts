import { join } from 'node:path'
import { createWorkerPool } from '../../../src/concurrency/worker-pool.ts'
import { AppError } from '../../../src/errors.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { createPrometheus } from '../../../src/sources/prometheus/client.ts'
import { median } from '../support/load.ts'
import type { Figure } from '../goals.ts'
import { maxTurnMs } from '../support/stall.ts'

const rounds = 9
const megabytes = [26, 15] // above the maximum size of a response, and below
const maxStallMs = 50

/** Measures the longest turn of the event loop, in CPU time, while a source response is read. */
export async function benchLargeAnswer(): Promise<Figure[]> {
  const workerUrl = new URL('../../../src/worker.ts', import.meta.url).href
  const workers = createWorkerPool({ url: workerUrl, workers: 1, workersOfGroup: 1, urgentWorkers: 0 })
  const opener = createPrometheus({
    outbound: createOutbound({ deny: [] }),
    timeoutMs: 60_000,
    concurrency: 1,
    workers,
  })
  const figures: Figure[] = []
  try {
    for (const size of megabytes) {
      const program = join(import.meta.dir, 'large-source.ts')
      const child = Bun.spawn([process.execPath, program, String(size)], { env: {}, stdout: 'pipe' })
      const { value } = await child.stdout.getReader().read()
      const apiUrl = new TextDecoder().decode(value).trim()
      const source = opener.open({ id: size, organizationId: 1, name: 'large', apiUrl, auth: null })
      const grid = { startSeconds: 1_700_000_000, endSeconds: 1_700_000_000 + 10_999 * 60, stepSeconds: 60 }
      const ask = async () => {
        await source.range('x', grid).catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error
        })
      }
      const gaps: number[] = []
      for (let round = -3; round < rounds; round += 1) {
        const gap = await maxTurnMs(ask)
        if (round >= 0) gaps.push(gap)
      }
      child.kill()
      process.stdout.write(
        `${size} MB: stall median ${median(gaps).toFixed(1)} ms, most ${Math.max(...gaps).toFixed(1)} ms\n`,
      )
      const what = `stall by an answer of ${size} MB`
      figures.push({ what, value: Math.max(...gaps), unit: 'ms', goal: { atMost: maxStallMs } })
    }
    return figures
  } finally {
    await workers.close()
  }
}
