import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd, dataOfBed, runKit, seed, type Truth } from './kit.ts'
import { liveSamples } from './live-samples.ts'
import { type RemoteSample, remoteWrite } from './remote-write.ts'

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

/** Ready in about 20 s with 35 days, in 10 s with the data of a bed that runs already. */
export async function startReplay({ days, liveHours }: { days: number; liveHours: number }): Promise<Replay> {
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
    const home = join(dir, 'prometheus')
    const { url } = await startPrometheus(home, '--port', String(await portToKeep()), '--blocks', blocks)
    let sent = 0
    return {
      url,
      liveFrom,
      now: truth.meta.now,
      truth,
      async advanceTo(unixSeconds) {
        const due: RemoteSample[] = []
        for (let next = waiting[sent]; next && next.atMs <= unixSeconds * 1000; next = waiting[sent]) {
          due.push(next)
          sent += 1
        }
        const minutes = Map.groupBy(due, ({ atMs }) => Math.floor(atMs / 60_000))
        for (const minute of minutes.values()) await remoteWrite(url, minute)
      },
      async restartPrometheus() {
        process.kill(Number(readFileSync(join(home, 'pid'), 'utf8')), 'SIGKILL')
        await Bun.spawn(['flock', join(home, 'data', 'lock'), 'true']).exited // when the killed one has let go of all
        await startPrometheus(home, '--port', new URL(url).port)
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

/** A free port that nobody is given by chance while Prometheus is away: below those that systems hand out. */
async function portToKeep(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    try {
      await Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    }
  }
}

async function startPrometheus(dir: string, ...args: string[]): Promise<{ url: string }> {
  return JSON.parse(await runKit('start-prometheus.sh', '--dir', dir, ...args))
}
