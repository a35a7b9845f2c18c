import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd, runKit } from '../../../test/support/kit.ts'

/** A real Prometheus with `services` times two counters (`s_total{svc="s0001",code="200"}`) that end at `now` (Unix seconds). */
export type ScaleBed = { url: string; pid: number; now: number; services: number; stop(): Promise<void> }

const wanted = { services: 500, days: 31 } // 45 million samples

/**
 * Starts it on data that are made once, in the folder that NINES_SCALE_BED names: in two minutes, with 2.2 GB of disk and
 * 2.5 GB of memory, of which 70 MB of disk remain.
 */
export async function startScaleBed(): Promise<ScaleBed> {
  const folder = process.env['NINES_SCALE_BED'] ?? join(tmpdir(), 'nines-scale-bed')
  const bed = Bun.file(join(folder, 'bed.json'))
  if (!(await bed.exists())) await make(folder)
  const { now, services } = (await bed.json()) as { now: number; services: number }
  const dir = mkdtempSync(join(folder, 'run-')) // beside the blocks, which are linked and not copied
  const stop = cleanUpAtTheEnd(dir)
  try {
    const blocks = join(folder, 'blocks')
    const started = await runKit('start-prometheus.sh', '--dir', join(dir, 'prometheus'), '--blocks', blocks)
    const { url, pid } = JSON.parse(started) as { url: string; pid: number }
    return { url, pid, now, services, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function make(folder: string): Promise<void> {
  const now = Math.floor(Date.now() / 60_000) * 60
  const [text, blocks] = [join(folder, 'metrics.om'), join(folder, 'blocks')]
  process.stderr.write(`making ${folder}, which takes two minutes\n`)
  rmSync(blocks, { recursive: true, force: true }) // of a time when this was interrupted
  mkdirSync(folder, { recursive: true })
  const options = Object.entries({ now, ...wanted, out: text })
  await runKit('gen-scale.py', ...options.flatMap(([name, value]) => [`--${name}`, String(value)]))
  await runKit('backfill.sh', text, blocks)
  rmSync(text)
  writeFileSync(join(folder, 'bed.json'), JSON.stringify({ now, ...wanted }))
}
