import type { Client } from './client.ts'
import type { Organization } from './organizations.ts'
import type { Read } from './reads.ts'
import type { Writes } from './writes.ts'

type Options = {
  client: Client
  organizations: Organization[]
  reads: [number, Read][]
  writes: Writes[]
  random: () => number
  perSecond: number
}

const tickMs = 20
/** Maximum requests in flight while nines does not respond. */
const maxInFlight = 100
const writeShare = 0.08
const importEveryMs = 30_000

/** Generates a steady load until stopped; `pause` waits for requests in flight. */
export function startLoad({ client, organizations, reads, writes, random, perSecond }: Options) {
  const weights = reads.reduce((sum, [weight]) => sum + weight, 0)
  const over = new AbortController()
  const underWay = new Set<Promise<void>>()
  let [isPaused, turn, lagMs] = [false, 0, 0]

  function pick(): Read | undefined {
    let left = random() * weights
    return reads.find(([weight]) => (left -= weight) < 0)?.[1]
  }

  async function one(): Promise<void> {
    const place = (turn += 1) % organizations.length
    const organization = organizations[place]
    if (organization === undefined) return
    if (random() < writeShare) await writes[place]?.run()
    else await pick()?.(client, organization, random)
  }

  async function flow(): Promise<void> {
    let due = 0
    let lastMs = performance.now()
    let importedMs = lastMs
    while (!over.signal.aborted) {
      await Bun.sleep(tickMs)
      const nowMs = performance.now()
      due = isPaused ? 0 : Math.min(due + ((nowMs - lastMs) / 1000) * perSecond, perSecond)
      lagMs = Math.max(lagMs, nowMs - lastMs - tickMs)
      lastMs = nowMs
      for (; due >= 1; due -= 1) if (underWay.size < maxInFlight) run(one())
      if (isPaused || nowMs - importedMs < importEveryMs) continue
      importedMs = nowMs
      const importing = writes[Math.floor(random() * writes.length)]
      if (importing) run(importing.importPast())
    }
  }

  function run(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => void client.unexplained.push(String(error)))
      .finally(() => underWay.delete(done))
    underWay.add(done)
  }

  const flowing = flow()
  return {
    /** Longest delay of a timer of this process, in milliseconds. */
    lagMs: () => lagMs,
    async pause() {
      isPaused = true
      await Promise.all(underWay)
    },
    resume: () => void (isPaused = false),
    async stop() {
      over.abort()
      await flowing
      await Promise.all(underWay)
    },
  }
}
