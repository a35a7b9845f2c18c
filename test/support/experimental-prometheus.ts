import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inChunks } from '../../src/concurrency/chunks.ts'
import { cleanUpAtTheEnd, runKit } from './kit.ts'
import { newer } from './newer-components.ts'
import { type RemoteSample, remoteWrite } from './remote-write.ts'

const features = 'promql-experimental-functions,promql-duration-expr'
const samplesPerBatch = 5000

/** Starts a Prometheus 3.5 with all experimental PromQL features and stores samples in it. */
export async function startExperimental(samples: RemoteSample[]): Promise<{ url: string; stop(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-experimental-'))
  const stop = cleanUpAtTheEnd(dir)
  const flags = ['--bin', newer.prometheus, '--', `--enable-feature=${features}`]
  const started = await runKit('start-prometheus.sh', '--dir', join(dir, 'prometheus'), ...flags)
  const { url }: { url: string } = JSON.parse(started)
  for (const some of inChunks(samples, samplesPerBatch)) await remoteWrite(url, some)
  return { url, stop }
}
