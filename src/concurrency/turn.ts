import { setImmediate as nextTurn } from 'node:timers/promises'
import { stopwatch } from '../clock.ts'

/** For long work on the event loop: `if (turn.isDone()) await turn.next()` lets everything else run in between. */
export type Turn = { isDone(): boolean; next(): Promise<void> }

const turnMs = 2

/** `lookEvery`: after how many pieces of work the clock is looked at, for a look costs as much as little work. */
export function createTurn(lookEvery = 32): Turn {
  let began = stopwatch.now()
  let calls = 0
  return {
    isDone() {
      calls += 1
      return calls % lookEvery === 0 && stopwatch.now() - began > turnMs
    },
    async next() {
      await nextTurn()
      began = stopwatch.now()
    },
  }
}
