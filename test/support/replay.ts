import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd, dataOfBed, runKit, seed, type Truth } from './kit.ts'
import { liveSamples } from './live-samples.ts'
import { startToldPrometheus } from './told-prometheus.ts'

/**
 * A real Prometheus that is told the kit's data as time goes by. Times are Unix seconds: it has what was scraped before
 * `liveFrom`, and after `advanceTo` also what was scraped until then; the data end at `now`.
 */
export type Replay = {
  url: string
  liveFrom: number
  now: number
  truth: Truth
  advanceTo(unixSeconds: number): Promise<void>
  /** Kills it, and starts it again on the same data and address. */
  restartPrometheus(): Promise<void>
  stop(): Promise<void>
}

/** `program`: a Prometheus other than the one that is installed. */
type Wanted = { days: number; liveHours: number; program?: string | undefined }

/** Ready in about 20 s with 35 days, in 10 s with the data of a bed that runs already. */
export async function startReplay({ days, liveHours, program }: Wanted): Promise<Replay> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-replay-'))
  const stop = cleanUpAtTheEnd(dir)
  try {
    const data = (await dataOfBed(days)) ?? (await generate(join(dir, 'data'), days))
    const truth: Truth = await Bun.file(join(data, 'truth.json')).json()
    const liveFrom = truth.meta.now - liveHours * 3600
    const [earlier, blocks] = [join(dir, 'earlier.om'), join(dir, 'blocks')]
    const waiting = liveSamples(join(data, 'metrics.om'), liveFrom, earlier)
    await runKit('backfill.sh', earlier, blocks)
    rmSync(earlier)
    const told = await startToldPrometheus(join(dir, 'prometheus'), waiting, { blocks, program })
    return {
      url: told.url,
      liveFrom,
      now: truth.meta.now,
      truth,
      advanceTo: told.advanceTo,
      async restartPrometheus() {
        await told.kill()
        await told.startAgain()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function generate(dir: string, days: number): Promise<string> {
  const options = { now: Math.floor(Date.now() / 1000), days, seed, out: dir }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  await runKit('gen-truth.py', '--no-vm', ...args)
  return dir
}
