import { describe } from 'bun:test'
import { existsSync, mkdtempSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inBatches } from '../../src/batches.ts'
import { cleanUpAtTheEnd, describeOnBed, runKit } from './kit.ts'
import { type RemoteSample, remoteWrite } from './remote-write.ts'

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'nines-components')
/** Where a Prometheus 3.5 is. */
export const program = process.env['PROMETHEUS_3_BIN'] ?? join(cache, 'prometheus-3.5')
const features = 'promql-experimental-functions,promql-duration-expr'
const samplesAtOnce = 5000

/** Tests that need a Prometheus 3.5: without it they are skipped, with a line that says so, or in CI they fail. */
export function describeOnExperimental(name: string, tests: () => void) {
  const isMissing = !existsSync(program) && process.env['CI'] !== 'true'
  if (!isMissing) return describeOnBed(name, tests)
  process.stderr.write(`Skipped, "${name}": there is no ${program} (PROMETHEUS_3_BIN)\n`)
  describe.skip(name, tests)
}

/** Starts a Prometheus 3.5 with all that is experimental in PromQL, and stores samples in it. */
export async function startExperimental(samples: RemoteSample[]): Promise<{ url: string; stop(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-experimental-'))
  const stop = cleanUpAtTheEnd(dir)
  const flags = ['--bin', program, '--', `--enable-feature=${features}`]
  const started = await runKit('start-prometheus.sh', '--dir', join(dir, 'prometheus'), ...flags)
  const { url }: { url: string } = JSON.parse(started)
  for (const some of inBatches(samples, samplesAtOnce)) await remoteWrite(url, some)
  return { url, stop }
}
