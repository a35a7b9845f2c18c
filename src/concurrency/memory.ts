import { totalmem } from 'node:os'
import { constrainedMemory } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

/** What this process may use: the bound of its cgroup, else what the machine has. */
export function usableMemoryBytes(): number {
  const bound = constrainedMemory()
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem()
}

const spareShare = 0.12
const tries = 4
const pauseMs = 700 // freed pages go back to the system some time later

type Memory = { usedBytes(): number; limitBytes(): number }

const own: Memory = { usedBytes: () => process.memoryUsage.rss(), limitBytes: usableMemoryBytes }

/**
 * Whether so many bytes more fit into what the process may take, with some to spare. Where they do not, it collects garbage,
 * which holds up everything for some 30 ms, and waits a little for what others are about to free.
 */
export async function hasRoomFor(bytes: number, { usedBytes, limitBytes }: Memory = own): Promise<boolean> {
  for (let tried = 1; ; tried += 1) {
    if (usedBytes() + bytes < (1 - spareShare) * limitBytes()) return true
    if (tried === tries) return false
    Bun.gc(true)
    await sleep(pauseMs)
  }
}
