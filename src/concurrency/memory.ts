import { totalmem } from 'node:os'
import { constrainedMemory } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

/** Memory that this process may use: the limit of its cgroup, or all of the machine's. */
export function usableMemoryBytes(): number {
  const bound = constrainedMemory()
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem()
}

const spareShare = 0.12
const tries = 4
const pauseMs = 700 // freed pages return to the system some time later

type Memory = { usedBytes(): number; limitBytes(): number }

const processMemory: Memory = {
  usedBytes: orLastKnown(() => process.memoryUsage.rss()),
  limitBytes: usableMemoryBytes,
}

/** Reads a number; gives the one read last, at first 0, if that fails: used memory cannot be read without a file descriptor. */
export function orLastKnown(read: () => number): () => number {
  let last = 0
  return () => {
    try {
      last = read()
    } catch {} // the next read may succeed
    return last
  }
}

/**
 * True if `bytes` more fit into the memory that the process may use, with some to spare. If not, collects garbage, which blocks
 * everything for some 30 ms, waits a little for others to free memory, and tries again.
 */
export async function hasRoomFor(bytes: number, { usedBytes, limitBytes }: Memory = processMemory): Promise<boolean> {
  for (let tried = 1; ; tried += 1) {
    if (usedBytes() + bytes < (1 - spareShare) * limitBytes()) return true
    if (tried === tries) return false
    Bun.gc(true)
    await sleep(pauseMs)
  }
}

const growthBytes = 64 * 1024 * 1024
const checkEveryMs = 1000

/**
 * Starts to collect the garbage of this thread each time the process has grown by 64 MB since the last time, which blocks
 * nothing. On its own, the engine collects once the heap has doubled: the memory of a large answer is kept until then. Returns
 * the check.
 */
export function collectGarbageAsItGrows(
  { usedBytes }: Pick<Memory, 'usedBytes'> = processMemory,
  collect = () => Bun.gc(false),
) {
  let [lowestBytes, wasCollected] = [usedBytes(), false]
  const check = () => {
    const used = usedBytes()
    lowestBytes = wasCollected ? used : Math.min(lowestBytes, used)
    wasCollected = used - lowestBytes > growthBytes
    if (wasCollected) collect()
  }
  setInterval(check, checkEveryMs).unref()
  return check
}
