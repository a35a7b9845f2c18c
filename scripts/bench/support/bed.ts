import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd, runKit } from '../../../test/support/kit.ts'

/** Real Prometheus whose data end at `now` (Unix seconds). */
export type Bed = { url: string; pid: number; now: number; stop(): Promise<void> }

/**
 * `folder`: folder of the data, which are generated once: an environment variable that names it, and its default name in the
 * folder of temporary files. `write`: writes OpenMetrics text to a path, and returns facts about it that are stored with the
 * data.
 */
type Options<Known> = {
  folder: [variable: string, name: string]
  write: (path: string, now: number) => Promise<Known>
}

export async function startBed<Known extends object>({
  folder: [variable, name],
  write,
}: Options<Known>): Promise<Bed & Known> {
  const folder = process.env[variable] ?? join(tmpdir(), name)
  const blocks = join(folder, 'blocks')
  const known = Bun.file(join(folder, 'bed.json'))
  if (!(await known.exists())) {
    const now = Math.floor(Date.now() / 60_000) * 60
    const text = join(folder, 'metrics.om')
    process.stderr.write(`making ${folder}, which takes two minutes\n`)
    rmSync(blocks, { recursive: true, force: true }) // left over from an interrupted run
    mkdirSync(folder, { recursive: true })
    const made = await write(text, now)
    await runKit('backfill.sh', text, blocks)
    rmSync(text)
    writeFileSync(join(folder, 'bed.json'), JSON.stringify({ now, ...made }))
  }
  const dir = mkdtempSync(join(folder, 'run-')) // next to the blocks, which are linked and not copied
  const stop = cleanUpAtTheEnd(dir)
  try {
    const started = await runKit('start-prometheus.sh', '--dir', join(dir, 'prometheus'), '--blocks', blocks)
    const { url, pid } = JSON.parse(started) as Bed
    return { ...((await known.json()) as Known & { now: number }), url, pid, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
