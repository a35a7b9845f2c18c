import { readFileSync } from 'node:fs'

/** How long work took in milliseconds, without the time in which this thread could have run and others had the processors. */
export async function ownMs(work: () => Promise<unknown>): Promise<number> {
  const waitedBefore = waitedMs()
  const began = performance.now()
  await work()
  const took = performance.now() - began
  return took - (waitedMs() - waitedBefore)
}

/** The longest time in milliseconds, counted likewise, for which the event loop did nothing else while the work went on. */
export function maxGapMs(work: () => Promise<unknown>): Promise<number> {
  return maxBetweenTurns(ownClockMs, work)
}

/** The same on the processor alone: what the machine, other programs and the disk take is no part of it. */
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

/** Of this thread. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Linux's /proc; a machine that is not quiet is not to count. */
function waitedMs(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[1]) / 1e6
}
