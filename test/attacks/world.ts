import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '../support/app.ts'
import { closeLater } from '../support/closing.ts'
import { newFolder, type Nines, register, startNines } from '../support/process.ts'
import { boundMemory } from './memory-bound.ts'

/** An attack from outside on a running nines. `run` throws if an answer is not as required. */
export type Attack = { name: string; run(world: World): Promise<void> }

/** A running nines, an administrator of one organization who attacks it, and a bystander in another organization. */
export type World = {
  nines: Nines
  attacker: string
  bystander: string
  /** Base address of the hostile server; the first segment of a path selects the misbehaviour. */
  hostile: string
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
  /** Returns a name that was not used before. */
  unique(): string
}

/** Effects on the bystander during an attack. Memory is resident, in bytes. */
export type BystanderImpact = {
  tookMs: number[]
  failed: number
  idleBytes: number
  peakBytes: number
  seconds: number
}

export type Watched = World & {
  /** Runs an attack while the bystander reads. */
  measureAttack(attack: Attack): Promise<BystanderImpact>
  /** Measures the bystander without an attack. */
  measureIdle(ms: number): Promise<BystanderImpact>
  wasKilled(): boolean
}

/** `prepare` is called with the data folder before nines is started. */
export type WorldOptions = {
  env?: Record<string, string>
  maxDescriptors?: number
  prepare?: (dataDir: string) => Promise<void>
}

export const memoryLimitBytes = 512 * 1024 * 1024

/** Minimum duration of an attack, so that the bystander makes several requests. */
const shortestMs = 1000

const settings = { EVALUATION_INTERVAL: '10', SOURCE_TIMEOUT: '10' }

/** Starts nines in a cgroup of 512 MiB if this machine supports it. Everything is closed by `closeAll`. */
export async function openWorld({ env = {}, maxDescriptors, prepare }: WorldOptions = {}): Promise<Watched> {
  const hostile = await startHostile()
  const bound = boundMemory(memoryLimitBytes)
  const dataDir = join(newFolder(), 'data')
  await prepare?.(dataDir)
  const nines = await startNines({
    dataDir,
    env: { ...settings, ...env },
    ...(maxDescriptors !== undefined && { maxDescriptors }),
    through: bound?.through ?? [],
  })
  closeLater(() => void nines.exited.then(() => bound?.remove()))
  const attacker = await register(nines, 'attacker')
  const bystander = await register(nines, 'bystander')
  const slo = { name: 'bystanding', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  const made = await nines.call('POST', '/api/v1/slos', slo, bystander)
  let names = 0
  const world: World = {
    nines,
    attacker,
    bystander,
    hostile,
    call: (method, path, body, token = attacker) => nines.call(method, path, body, token),
    unique: () => `attack ${(names += 1)}`,
  }

  async function measureAttack(attack: Attack): Promise<BystanderImpact> {
    const idleBytes = memoryOf(nines.pid).nowBytes
    forgetPeak(nines.pid)
    const path = `/api/v1/slos/${made.body.id}`
    const reader = Bun.spawn([process.execPath, join(import.meta.dir, 'reader.ts'), nines.url, path, bystander], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const began = performance.now()
    try {
      await Promise.all([attack.run(world), Bun.sleep(shortestMs)])
      const seconds = (performance.now() - began) / 1000
      await reader.stdin.end()
      const said = await new Response(reader.stdout).text()
      const { tookMs, failed }: Pick<BystanderImpact, 'tookMs' | 'failed'> = JSON.parse(said)
      return { tookMs, failed, idleBytes, peakBytes: memoryOf(nines.pid).peakBytes, seconds }
    } finally {
      reader.kill('SIGKILL')
    }
  }

  return {
    ...world,
    measureAttack,
    measureIdle: (ms) => measureAttack({ name: 'nothing', run: () => Bun.sleep(ms) }),
    wasKilled: () => bound?.wasKilled() ?? false,
  }
}

async function startHostile(): Promise<string> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'hostile-server.ts')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  closeLater(() => child.kill('SIGKILL'))
  for await (const chunk of child.stdout) return Buffer.from(chunk).toString().trim()
  throw new Error('the hostile server ended')
}

/** Resident memory now and at its peak. Linux only: 0 on other systems. */
function memoryOf(pid: number): { nowBytes: number; peakBytes: number } {
  if (process.platform !== 'linux') return { nowBytes: 0, peakBytes: 0 }
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024
  return { nowBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') }
}

function forgetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Polls every 100 ms until `ask` returns a value; throws after `seconds`. */
export async function eventually<T>(seconds: number, ask: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + seconds * 1000
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    if (performance.now() > endMs) throw new Error(`did not come within ${seconds} s`)
    await Bun.sleep(100)
  }
}

/** Throws unless the answer has one of these statuses and reveals nothing of the implementation. */
export function expectStatus(answer: Answer, ...statuses: number[]): Answer {
  const shown = answer.text.slice(0, 300)
  if (!statuses.includes(answer.status))
    throw new Error(`answered ${answer.status}, not ${statuses.join(' or ')}: ${shown}`)
  if (/SQLITE|node_modules|\.ts:\d/.test(answer.text)) throw new Error(`the answer tells how nines is built: ${shown}`)
  return answer
}
