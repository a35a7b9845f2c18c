import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd, dataOfBed, runKit, type Truth } from './kit.ts'
import { liveSamples } from './live-samples.ts'
import { startFedPrometheus } from './fed-prometheus.ts'

/**
 * A real Prometheus that receives the kit's data over time. Times are Unix seconds. At first it has the samples scraped before
 * `liveFrom`; `advanceTo` adds those scraped until then. The data end at `now`.
 */
export type Replay = {
  url: string
  liveFrom: number
  now: number
  truth: Truth
  advanceTo(unixSeconds: number): Promise<void>
  /** Kills it and starts it again on the same data and address. */
  restartPrometheus(): Promise<void>
  stop(): Promise<void>
}

/** `program`: path of a Prometheus other than the installed one. */
type Options = { liveHours: number; program?: string | undefined }

/** Starts in about 10 s, or 20 s if the data must be generated first. */
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
    const prometheus = await startFedPrometheus(join(dir, 'prometheus'), waiting, { blocks, program })
    return {
      url: prometheus.url,
      liveFrom,
      now: truth.meta.now,
      truth,
      advanceTo: prometheus.advanceTo,
      async restartPrometheus() {
        await prometheus.kill()
        await prometheus.startAgain()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
