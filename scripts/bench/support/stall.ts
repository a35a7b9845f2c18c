import { readFileSync } from 'node:fs'

/** Milliseconds that work took, without the time in which this thread was ready to run but other processes had the CPU. */
export async function ownMs(work: () => Promise<unknown>): Promise<number> {
  const waitedBefore = waitedMs()
  const began = performance.now()
  await work()
  const took = performance.now() - began
  return took - (waitedMs() - waitedBefore)
}

/** Longest turn of the event loop during the work, in milliseconds, without the time in which other processes had the CPU. */
export function maxGapMs(work: () => Promise<unknown>): Promise<number> {
  return maxBetweenTurns(ownClockMs, work)
}

/** Longest turn of the event loop during the work, in milliseconds of CPU time of this thread. */
export function maxTurnMs(work: () => Promise<unknown>): Promise<number> {
  return maxBetweenTurns(processorMs, work)
}

async function maxBetweenTurns(clockMs: () => number, work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  let longest = 0
  let last = clockMs()
  const tick = () => {
    const now = clockMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  isOver = true
  await new Promise((resolve) => setImmediate(resolve))
  return longest
}

function ownClockMs(): number {
  return performance.now() - waitedMs()
}

/** CPU time of this thread in milliseconds. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds that this thread waited for a CPU, from Linux's /proc. */
function waitedMs(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[1]) / 1e6
}
