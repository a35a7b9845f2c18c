import { cpSync, writeFileSync } from 'node:fs'
import { memoryVariables } from '../../../src/cli/bound-memory.ts'
import { type Populated, populated } from '../../../test/support/populated.ts'
import { testApp } from '../../../test/support/app.ts'
import { fillQuotas } from '../../../test/support/full-quotas.ts'
import { type Document, type WalkedRequest, walkOf } from '../../../test/support/full-walk.ts'
import type { Figure } from '../goals.ts'
import { type Child, type Environment, startWith } from '../support/child.ts'
import { memoryOf } from '../support/load.ts'
import { newFolder } from '../support/nines-here.ts'
import type { FromNines, LongestTurn, ToNines } from './nines.ts'

const clients = 8
const maxStallMs = 50
const maxAnswerBytes = 4 * 1024 * 1024
const maxMemoryBytes = 512 * 1024 * 1024

/** Result of one operation that eight clients request at once, twice each. */
type Walked = {
  name: string
  stallMs: number
  /** CPU time of the longest turn of the event loop, which other programs on the machine do not change. */
  cpuMs: number
  tookMs: number
  bytes: number
  /** Bytes of the longest response that was neither paginated nor streamed. */
  wholeBytes: number
  peak: number
  status: string
}

/**
 * Requests every operation of an organization that has reached all its quotas. Measures the longest event loop stall, the
 * longest response and the peak memory, and prints the worst operations of each.
 */
export async function benchFullSize(): Promise<Figure[]> {
  const dataDir = newFolder()
  const nines = await testApp({ dataDir, startMs: Math.floor(Date.now() / 60_000) * 60_000 })
  const own = await populated(nines, 'ada', 2)
  await fillQuotas(nines, own)
  await nines.app.close()
  const copy = newFolder()
  cpSync(dataDir, copy, { recursive: true }) // a walk changes what it finds
  const onLarge = await walkedWith({ ...process.env }, copy, own)
  const onSmall = await walkedWith({ ...process.env, ...memoryVariables }, dataDir, own)
  const max = (walked: Walked[], valueOf: (one: Walked) => number) => Math.max(...walked.map(valueOf))
  return [
    {
      what: 'longest stall of a walk at full size',
      value: max(onLarge, (one) => one.stallMs),
      unit: 'ms',
      goal: { atMost: maxStallMs },
    },
    {
      what: 'longest turn of a walk at full size, CPU time',
      value: max(onLarge, (one) => one.cpuMs),
      unit: 'ms',
      goal: { atMost: maxStallMs },
    },
    {
      what: 'longest answer without a page or a stream',
      value: max(onLarge, (one) => one.wholeBytes) / 1e6,
      unit: 'MB',
      goal: { atMost: maxAnswerBytes / 1e6 },
    },
    {
      what: 'most memory of a walk at full size, as on a small machine',
      value: max(onSmall, (one) => one.peak) / 1e6,
      unit: 'MB',
      goal: { atMost: maxMemoryBytes / 1e6 },
    },
  ]
}

/** Walks with nines in a process with this environment, which decides when garbage is collected. */
async function walkedWith(env: Environment, dataDir: string, own: Populated): Promise<Walked[]> {
  const child = startWith(env, 'full-size/nines.ts', dataDir)
  try {
    const url = await child.next<string>()
    const walk = walkOf((await (await fetch(`${url}/openapi.json`)).json()) as Document, own)
    const walked: Walked[] = []
    for (const request of walk) {
      const one = await walkedBy(child, url, own.token, request)
      process.stdout.write(`${JSON.stringify(one)}\n`)
      walked.push(one)
    }
    print(walked)
    return walked
  } finally {
    child.stop()
    await child.exited
  }
}

async function walkedBy(
  child: Child,
  url: string,
  token: string,
  { name, method, path, body, isPublic, isPaged }: WalkedRequest,
): Promise<Walked> {
  const headers = {
    ...(!isPublic && { authorization: `Bearer ${token}` }),
    ...(body ? { 'content-type': 'application/json' } : {}),
  }
  const init = {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(120_000),
  }
  let bytes = 0
  let wholeBytes = 0
  const statuses = new Set<number>()
  const ask = async () => {
    for (let time = 0; time < 2; time += 1) {
      const answer = await fetch(`${url}${path}`, init).catch(() => undefined)
      if (!answer) {
        statuses.add(0) // no answer
        continue
      }
      let length = 0
      for await (const chunk of answer.body ?? []) length += chunk.byteLength
      statuses.add(answer.status)
      bytes = Math.max(bytes, length)
      if (answer.headers.has('content-length') && !isPaged) wholeBytes = Math.max(wholeBytes, length)
    }
  }
  writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
  child.send('watch' satisfies ToNines)
  await child.next<FromNines>()
  const began = performance.now()
  await Promise.all(Array.from({ length: clients }, ask))
  const tookMs = performance.now() - began
  child.send('tell' satisfies ToNines)
  const { ms: stallMs, cpuMs } = await child.next<LongestTurn>()
  const { peak } = memoryOf(child.pid)
  return { name, stallMs, cpuMs, tookMs, bytes, wholeBytes, peak, status: [...statuses].join() }
}

function print(walked: Walked[]): void {
  const columns: [string, (one: Walked) => number][] = [
    ['longest stalls, ms', (one) => one.stallMs],
    ['longest turns, ms of CPU time', (one) => one.cpuMs],
    ['longest answers without a page or a stream, kB', (one) => one.wholeBytes / 1000],
    ['most memory, MB', (one) => one.peak / 1e6],
    ['longest of all clients together, ms', (one) => one.tookMs],
  ]
  for (const [title, valueOf] of columns) {
    process.stdout.write(`\n${title}\n`)
    for (const one of walked.toSorted((a, b) => valueOf(b) - valueOf(a)).slice(0, 10)) {
      process.stdout.write(`  ${valueOf(one).toFixed(0).padStart(8)}  ${one.name} (${one.status})\n`)
    }
  }
}
