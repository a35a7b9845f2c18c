import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inChunks } from '../../src/concurrency/chunks.ts'
import { runKit } from './kit.ts'
import { type RemoteSample, remoteWrite } from './remote-write.ts'

/** A real Prometheus that receives samples over time, as if it scraped them. */
export type FedPrometheus = {
  url: string
  /** Writes all samples up to that time to it. */
  advanceTo(unixSeconds: number): Promise<void>
  kill(): Promise<void>
  /** Starts it after `kill`, on the same data and address. */
  startAgain(): Promise<void>
}

const samplesPerBatch = 5000

type Options = { blocks?: string; program?: string | undefined }

/** Starts it in a folder, on `blocks` of earlier data if given. `samples` must be in order of time. */
export async function startFedPrometheus(
  dir: string,
  samples: RemoteSample[],
  { blocks, program }: Options = {},
): Promise<FedPrometheus> {
  const port = await portToKeep()
  const fixed = ['--dir', dir, '--port', String(port), ...(program === undefined ? [] : ['--bin', program])]
  const start = async (...more: string[]): Promise<{ url: string }> =>
    JSON.parse(await runKit('start-prometheus.sh', ...fixed, ...more))
  const { url } = await start(...(blocks === undefined ? [] : ['--blocks', blocks]))
  let sent = 0
  return {
    url,
    async advanceTo(unixSeconds) {
      const from = sent
      while ((samples[sent]?.atMs ?? Infinity) <= unixSeconds * 1000) sent += 1
      for (const some of inChunks(samples.slice(from, sent), samplesPerBatch)) await remoteWrite(url, some)
    },
    async kill() {
      process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')), 'SIGKILL')
      // waits until the killed process has released its files
      await Bun.spawn(['flock', join(dir, 'data', 'lock'), 'true']).exited
      while (!(await isFree(port))) await Bun.sleep(10)
    },
    async startAgain() {
      await start()
    },
  }
}

/** A free port below the ephemeral range, so that no other process gets it while Prometheus is down. */
async function portToKeep(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  try {
    await Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false
    throw error
  }
}
