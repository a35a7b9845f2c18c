import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { stopwatch } from '../clock.ts'

/** Splits long work on the event loop: `if (yielder.isDue()) await yielder.next()` lets everything else run in between. */
export type Yielder = { isDue(): boolean; next(): Promise<void> }

const turnMs = 2

/** Creates a yielder that is due every 2 ms. `callsPerCheck`: calls of `isDue` per reading of the clock, which is not free. */
export function createYielder(callsPerCheck = 32): Yielder {
  let beganMs = stopwatch.now()
  let calls = 0
  return {
    isDue() {
      calls += 1
      return calls % callsPerCheck === 0 && stopwatch.now() - beganMs > turnMs
    },
    async next() {
      await yieldToEventLoop()
      beganMs = stopwatch.now()
    },
  }
}
