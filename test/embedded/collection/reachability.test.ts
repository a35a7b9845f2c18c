import { describe, expect, test } from 'bun:test'
import {
  afterRun,
  retryDelayMs,
  type Confirmation,
  confirmationOf,
  reachabilityOf,
  unknownReachability,
} from '../../../src/embedded/collection/reachability.ts'

const confirmed = confirmationOf({ confirm: true, downAfter: 2 })
const twice = confirmationOf({ confirm: false, downAfter: 2 })

/** Reachability after runs that are 30 s apart: `+` succeeds, `-` fails. */
function after(runs: string, confirmation: Confirmation) {
  return [...runs].reduce(
    (before, run, at) =>
      afterRun(
        before,
        { ok: run === '+', error: run === '+' ? null : `failure ${at}`, atMs: at * 30_000 },
        confirmation,
      ),
    unknownReachability,
  )
}

describe('the target of a probe', () => {
  test.each([
    ['', null],
    ['+', null],
    ['++', false],
    ['-', null],
    ['--', null],
    ['---', true],
    ['++--', false],
    ['++---', true],
    ['++--+-', false],
    ['---+', true],
    ['---+-+', true],
    ['---++', false],
  ] as const)('with confirmation, after %p, is down: %p', (runs, isDown) => {
    expect(after(runs, confirmed).isDown).toBe(isDown)
  })

  test.each([
    ['++-', false],
    ['++--', true],
    ['++-+-', false],
    ['--', true],
  ] as const)('after two runs without confirmation, after %p, is down: %p', (runs, isDown) => {
    expect(after(runs, twice).isDown).toBe(isDown)
  })

  test('is down since the first failed run, whose last error says why, and up since the first good one', () => {
    expect(after('++---', confirmed)).toMatchObject({ sinceMs: 60_000, error: 'failure 4' })
    expect(after('++---+-', confirmed)).toMatchObject({ isDown: true, sinceMs: 60_000 })
    expect(after('++---++', confirmed)).toMatchObject({ isDown: false, sinceMs: 150_000 })
  })

  test('is tried again 5 s after a failure until it is down, and only with confirmation', () => {
    const waits = (runs: string, confirmation: Confirmation) => retryDelayMs(after(runs, confirmation), confirmation)
    expect(['+', '++-', '++--', '++---', '++---+-'].map((runs) => waits(runs, confirmed))).toEqual([
      null,
      5000,
      5000,
      null,
      null,
    ])
    expect(waits('++-', twice)).toBeNull()
  })
})

describe('before the first run since nines started', () => {
  const [intervalMs, firstMs] = [30_000, 1_000_000]
  const runsOf = (stored: string) =>
    [...stored].flatMap((run, at) =>
      run === ' ' ? [] : [{ ok: run === '+', error: null, atMs: firstMs + at * intervalMs }],
    )
  const before = (stored: string, runs = '') => {
    const nowMs = firstMs + stored.length * intervalMs
    const one = reachabilityOf(runsOf(stored), confirmed, { nowMs, intervalMs })
    return [...runs].reduce(
      (last, run, at) => afterRun(last, { ok: run === '+', error: null, atMs: nowMs + at * 5000 }, confirmed),
      one,
    )
  }

  test.each(['', '+', '++', '-', '-----', '--- '])(
    'after stored runs %p it is not known if the target is down',
    (stored) => {
      expect(before(stored)).toMatchObject({ isDown: null, sinceMs: null })
    },
  )

  test.each([
    ['++-', '--', true, 2],
    ['++-', '-', null, null],
    ['+----', '-', true, 1],
    ['---+', '+', false, 3],
    ['-   ', '--', null, null],
    ['-   ', '---', true, 4],
    ['-   -', '--', true, 4],
  ] as const)(
    'stored runs %p and then %p are in a row, unless far apart: down %p',
    (stored, runs, isDown, sinceRun) => {
      const sinceMs = sinceRun === null ? null : firstMs + sinceRun * intervalMs
      expect(before(stored, runs)).toMatchObject({ isDown, sinceMs })
    },
  )
})
