import { setImmediate as nextTurn } from 'node:timers/promises'
import { stopwatch } from '../clock.ts'

/** For long work on the event loop: `if (pace.isDue()) await pace.rest()` lets everything else have its turn. */
export type Pace = { isDue(): boolean; rest(): Promise<void> }

const lookEvery = 32 // a look at the clock costs as much as little work

export function createPace(turnMs = 2): Pace {
  let began = stopwatch.now()
  let calls = 0
  return {
    isDue() {
      calls += 1
      return calls % lookEvery === 0 && stopwatch.now() - began > turnMs
    },
    async rest() {
      await nextTurn()
      began = stopwatch.now()
    },
  }
}
