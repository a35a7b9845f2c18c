import { collectGarbageAsItGrows } from '../../../src/concurrency/memory.ts'
import { openNines } from '../support/nines-here.ts'
import { maxGapMs, maxTurnMs } from '../support/stall.ts'

/** Messages to nines: start watching the event loop; report its longest turn since then. */
export type ToNines = 'watch' | 'tell'
/** Longest turn: elapsed time without that in which other processes had the CPU, and CPU time of the thread. */
export type LongestTurn = { ms: number; cpuMs: number }
/** Messages from nines: first its address, then `'watching'` or the longest turn. */
export type FromNines = string | LongestTurn

// nines in a separate process; argument: the data folder.
const [dataDir = ''] = process.argv.slice(2)
const { listen } = openNines({ DATA_DIR: dataDir, EVALUATION_INTERVAL: '0', REGISTRATION: 'open' })
let watched: Promise<LongestTurn> | undefined
let stop = () => {}

async function watch(ended: Promise<void>): Promise<LongestTurn> {
  const [ms, cpuMs] = await Promise.all([maxGapMs(() => ended), maxTurnMs(() => ended)])
  return { ms, cpuMs }
}

process.on('message', (message: ToNines) => {
  if (message === 'watch') {
    const { promise, resolve } = Promise.withResolvers<void>()
    stop = resolve
    watched = watch(promise)
    process.send?.('watching')
  } else {
    stop()
    void watched?.then((longest) => process.send?.(longest))
  }
})
collectGarbageAsItGrows() // as `serve` does
process.send?.(listen())
