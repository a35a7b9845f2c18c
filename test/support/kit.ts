import { describe } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SloWindow, Window } from '../../src/slos/arithmetic/windows.ts'
import { runDir } from './template-data-dir.ts'

/** Windows about which there is a truth, the shortest first. */
export const windows = ['5m', '15m', '30m', '1h', '6h', '24h', '7d', '30d', '90d'] as const satisfies Window[]
export type KnownWindow = (typeof windows)[number]
export type KnownSloWindow = KnownWindow & SloWindow

/** Truth about a window, as counted by the generator. `sli` and latency are ratios; null without requests. */
export type WindowTruth = {
  good: number
  bad: number
  total: number
  sli: number | null
  coverage: number
  latency?: Record<string, { sli: number | null }>
}

/**
 * Failures from `start` to `end`. `slow`: requests slower than each bound, null if not recorded. `instance` and `code`: the
 * value that all failures share, or null.
 */
export type KnownIncident = {
  start: number
  end: number
  bad: number
  slow: Record<string, number> | null
  instance: number | null
  code: string | null
}

type Stretch = { start: number; end: number }

/** `scrape_fail`: its scrapes failed; `monitor_down`: nothing scraped it. */
type Service = {
  why: string
  incidents: KnownIncident[]
  scrape_fail?: Stretch[]
  monitor_down?: Stretch[]
  evals: ByTimeAndWindow<WindowTruth>
}

type ByTimeAndWindow<T> = Record<string, Record<KnownWindow, T>>

/** `truth.json` of `test/kit/gen-truth.py`. Times are Unix seconds; the first of `evals` is the end of the data. */
export type Truth = {
  meta: { now: number; days: number; evals: [number, ...number[]] }
  services: Record<string, Service>
  gauges: { worker_items_per_second: { evals: ByTimeAndWindow<{ share_at_or_over_floor: number }> } }
}

/**
 * Test bed: two real sources with the same 35 days of data that end at `now` (Unix seconds), and the truth about the data.
 * `samples`: path of the OpenMetrics file that both have read.
 */
export type TestBed = {
  now: number
  prometheus: string
  victoria: string
  samples: string
  truth: Truth
  stop(): Promise<void>
}

const kit = join(import.meta.dir, '..', 'kit')
const days = 35
export const seed = 7
const packageOf = new Map([
  ['prometheus', 'prometheus'],
  ['promtool', 'prometheus'],
  ['victoria-metrics', 'victoria-metrics'],
  ['python3', 'python3'],
])
const running = process.env['NINES_BED'] // folder of a bed that was started outside of the tests and is not stopped by them
const missing = [...packageOf.keys()].filter((program) => !running && Bun.which(program) === null)
const advice = `not installed: ${missing.join(', ')} (Debian: apt-get install ${[...new Set(missing.map((program) => packageOf.get(program)))].join(' ')})`

/** Describes tests that need the bed. Without its programs they are skipped with a message, or fail in CI. */
export function describeOnBed(name: string, tests: () => void) {
  const skipped = missing.length > 0 && process.env['CI'] !== 'true'
  if (skipped) process.stderr.write(`Skipped, "${name}": ${advice}\n`)
  const run = skipped ? describe.skip : describe
  run(name, tests)
}

/** Paths of programs to use in place of the installed ones. */
export type Programs = { prometheus: string; promtool: string; victoria: string }

/** Starts the bed in a new folder, in about 20 s. Throws if one of its programs is missing. */
export async function startBed(programs?: Programs): Promise<TestBed> {
  if (missing.length > 0) throw new Error(advice)
  if (running && !programs) return { ...(await readBed(running)), stop: async () => {} }
  const dir = mkdtempSync(join(tmpdir(), 'nines-bed-'))
  const stop = cleanUpAtTheEnd(dir)
  try {
    const data = await dataOfBed()
    symlinkSync(data, join(dir, 'data'))
    symlinkSync(await blocksOfBed(data, programs), join(dir, 'blocks'))
    await runKitWith(variablesOf(programs), 'bed.sh', 'up', dir, String(days), String(seed))
    return { ...(await readBed(dir)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Folder with the data of a bed: of the running bed, or generated once for all processes of a test run. */
export async function dataOfBed(): Promise<string> {
  if (running) return join(running, 'data')
  return madeOnce('bed-data', async (out) => {
    const options = { now: Math.floor(Date.now() / 60_000) * 60, days, seed, out }
    await runKit('gen-truth.py', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]))
  })
}

/** Folder with the data of a bed as blocks of a Prometheus, made once for all processes of a test run by each promtool. */
async function blocksOfBed(data: string, programs?: Programs): Promise<string> {
  return madeOnce(programs ? 'bed-blocks-newer' : 'bed-blocks', async (out) => {
    await runKitWith(variablesOf(programs), 'backfill.sh', join(data, 'metrics.om'), out)
  })
}

/** A folder of the test run that `make` has filled. The processes that ask for it later wait for the first. */
async function madeOnce(name: string, make: (dir: string) => Promise<void>): Promise<string> {
  const dir = join(runDir, name)
  const [isMade, hasFailed] = [join(dir, 'made'), join(dir, 'failed')]
  try {
    mkdirSync(dir)
  } catch {
    while (!existsSync(isMade)) {
      if (existsSync(hasFailed)) throw new Error(`${name} could not be made`)
      await Bun.sleep(100)
    }
    return dir
  }
  try {
    await make(dir)
    writeFileSync(isMade, '')
  } catch (error) {
    writeFileSync(hasFailed, '')
    throw error
  }
  return dir
}

/** Runs a program of the kit and returns its output. If it fails, throws with its stderr. */
export function runKit(program: string, ...args: string[]): Promise<string> {
  return runKitWith({}, program, ...args)
}

async function runKitWith(variables: Record<string, string>, program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, ...variables }
  const child = Bun.spawn([join(kit, program), ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [printed, said] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) === 0) return printed
  throw new Error(`${program}: ${said}`)
}

function variablesOf(programs?: Programs): Record<string, string> {
  if (!programs) return {}
  return { PROMETHEUS_BIN: programs.prometheus, PROMTOOL_BIN: programs.promtool, VICTORIA_BIN: programs.victoria }
}

async function readBed(dir: string): Promise<Omit<TestBed, 'stop'>> {
  const { truth, ...bed } = await Bun.file(join(dir, 'bed.json')).json()
  return { ...bed, samples: join(dirname(truth), 'metrics.om'), truth: await Bun.file(truth).json() }
}

/**
 * Starts a process that waits for the end of its input, which also comes if this process is killed. It then stops everything
 * that runs in the folder of a bed or a replay, and removes the folder.
 */
export function cleanUpAtTheEnd(dir: string): () => Promise<void> {
  const script = 'cat; "$1" down "$2"; rm -rf "$2"'
  const cleaner = spawn('bash', ['-c', script, 'bash', join(kit, 'bed.sh'), dir], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true, // not stopped by Ctrl-C
  })
  const gone = once(cleaner, 'exit')
  return async () => {
    cleaner.stdin.end()
    await gone
  }
}
