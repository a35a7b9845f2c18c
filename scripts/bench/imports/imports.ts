import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSamples } from '../../../src/db/open-samples.ts'
import { createSampleStore } from '../../../src/embedded/store/sample-store.ts'
import { register, startWatched, type WatchedNines } from '../attacks/watched-nines.ts'
import type { Figure } from '../goals.ts'
import { memoryOf, percentile } from '../support/load.ts'
import { senderTo } from '../support/processes.ts'
import { newestSeconds, parts, pastOf, type Past } from './parts.ts'

const bounds = { stallMs: 50, megabytes: 512 }
const past: Past = { series: 500, chunks: 60, perChunk: 240, stepSeconds: 60 }
const [idleSeconds, clients] = [5, 8]

type Work = (send: (at: number, text: string) => Promise<void>) => Promise<unknown>

/**
 * Measures reads of another organization while others import: read latencies, the longest turn of the event loop in CPU time,
 * and the peak memory. First one part with late samples only, of 500 series whose heads are nearly full; then sixty concurrent
 * parts of one organization; then eight organizations with one client each. Refused parts are sent again.
 */
export async function benchImports(): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  let nines = await startWatched(dataDir)
  try {
    const tokens = [await register(nines.url, 'importer-0')]
    await nines.end()
    fill(dataDir)
    nines = await startWatched(dataDir, { SAMPLES_RETENTION_DAYS: '400' })
    for (let at = 1; at < clients; at += 1) tokens.push(await register(nines.url, `importer-${at}`))
    const reader = await readerOf(nines)
    const send = (at: number, text: string) => importPart(nines.url, tokens[at % tokens.length] ?? '', text)
    const row = (what: string, work: Work) => watch(nines, reader, what, () => work(send))
    await row('nothing else', () => Bun.sleep(idleSeconds * 1000))
    const figures = [...(await row('one part of late samples', (to) => to(0, pastOf(past).oneMore())))]
    for (const [kind, text] of Object.entries(parts)) {
      const atOnce = Array.from({ length: 60 }, (_, at) => text(at))
      figures.push(
        ...(await row(`60 parts at once: ${kind}`, (to) => Promise.all(atOnce.map((one) => to(0, one))))),
        ...(await row(`${clients} clients: ${kind}`, (to) =>
          Promise.all(
            Array.from({ length: clients }, async (_, client) => {
              for (let round = 0; round < 4; round += 1) await to(client, text(client))
            }),
          ),
        )),
      )
    }
    return figures
  } finally {
    await nines.end()
    rmSync(dataDir, { recursive: true })
  }
}

/** Stores whole chunks of each series, and a head that one more sample fills. */
function fill(dataDir: string): void {
  const file = openSamples(dataDir)
  const clock = { now: () => newestSeconds * 1000 }
  const store = createSampleStore({ file, clock, keepMs: 1e12, maxBytes: 1e12 })
  for (const { series, timeMs, value } of pastOf(past).samples()) {
    if (series === 'next') store.flush()
    else store.append(1, series, timeMs, value)
  }
  store.close()
}

/** Sends a part until it is accepted, and waits as long as `Retry-After` demands. */
async function importPart(url: string, token: string, text: string): Promise<void> {
  const body = JSON.stringify({ text, first_line: 2, is_last: false })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  for (;;) {
    const answer = await fetch(`${url}/api/v1/embedded/import`, { method: 'POST', headers, body })
    const said = await answer.text()
    const retryAfter = Number(answer.headers.get('retry-after') ?? 0)
    if (answer.ok) return
    if (retryAfter === 0) throw new Error(`import: ${answer.status} ${said}`)
    await Bun.sleep(retryAfter * 1000)
  }
}

/** Path that the reader requests, and its token. */
async function readerOf(nines: WatchedNines): Promise<{ path: string; token: string }> {
  const token = await register(nines.url, 'reader')
  const slo = { name: 'read', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  const { id } = await senderTo(nines, token)('POST', '/api/v1/slos', slo)
  return { path: `/api/v1/slos/${id}`, token }
}

async function watch(
  nines: WatchedNines,
  { path, token }: { path: string; token: string },
  what: string,
  work: () => Promise<unknown>,
): Promise<Figure[]> {
  const script = join(import.meta.dir, '..', '..', '..', 'test', 'attacks', 'reader.ts')
  const reader = Bun.spawn([process.execPath, script, nines.url, path, token], { stdin: 'pipe', stdout: 'pipe' })
  let peakBytes = 0
  const look = setInterval(() => (peakBytes = Math.max(peakBytes, memoryOf(nines.pid).rss)), 20)
  await nines.stallMs()
  const began = performance.now()
  await work().finally(() => clearInterval(look))
  const seconds = (performance.now() - began) / 1000
  const stallMs = await nines.stallMs()
  await reader.stdin.end()
  const { tookMs } = (await new Response(reader.stdout).json()) as { tookMs: number[] }
  const [p50, p99, max] = [50, 99, 100].map((percent) => percentile(tookMs, percent).toFixed(1))
  const megabytes = peakBytes / 1024 / 1024
  process.stdout.write(
    `${what.padEnd(44)} reads p50 ${p50} p99 ${p99} max ${max} ms (bound ${bounds.stallMs}); ` +
      `stall ${stallMs.toFixed(1)} ms; peak ${megabytes.toFixed(0)} MB; ${seconds.toFixed(1)} s\n`,
  )
  return [
    { what: `stall by ${what}`, value: stallMs, unit: 'ms', goal: { atMost: bounds.stallMs } },
    { what: `memory with ${what}`, value: megabytes, unit: 'MB', goal: { atMost: bounds.megabytes } },
  ]
}
