import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd, dataOfBed, runKit, type Truth } from './kit.ts'
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
type Options = { liveHours: number; program?: string | undefined }

/** Ready in about 10 s, in 20 s where it has to make the data first. */
export async function startReplay({ liveHours, program }: Options): Promise<Replay> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-replay-'))
  const stop = cleanUpAtTheEnd(dir)
  try {
    const data = await dataOfBed()
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
