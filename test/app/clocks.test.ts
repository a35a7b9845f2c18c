import { expect, test } from 'bun:test'
import { createRetentionClock } from '../../src/app/clocks.ts'

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

function world({ knownMs }: { knownMs?: number } = {}) {
  const at = { clockMs: 1_795_255_200_000, stopwatchMs: 5 }
  const jumps: number[] = []
  const cautious = createRetentionClock({
    clock: { now: () => at.clockMs },
    stopwatch: { now: () => at.stopwatchMs },
    knownMs,
    onJump: (aheadMs) => void jumps.push(aheadMs),
  })
  return {
    at,
    jumps,
    now: cautious.now,
    behind: () => at.clockMs - cautious.now(),
    pass(ms: number) {
      at.clockMs += ms
      at.stopwatchMs += ms
    },
  }
}

test('goes with the clock, also after a long rest, back, and a little ahead', () => {
  const { at, jumps, behind, pass } = world()
  for (const ms of [0, 10, 10 * yearMs, 2]) {
    pass(ms)
    expect(behind()).toBe(0)
  }
  for (const jumpMs of [23 * hourMs, -yearMs, -5]) {
    at.clockMs += jumpMs
    expect(behind()).toBe(0)
  }
  expect(jumps).toEqual([])
})

test('a jump far ahead is reported once, and believed after a day', () => {
  const { at, jumps, behind, pass } = world()
  at.clockMs += yearMs
  for (let hour = 0; hour < 24; hour += 1, pass(hourMs)) expect(behind()).toBe(yearMs)
  expect(behind()).toBe(0)
  expect(jumps).toEqual([yearMs])
})

test('a jump far ahead and back is as if it had not been, and so is another one', () => {
  const { at, jumps, behind, pass } = world()
  for (const _ of ['once', 'again']) {
    at.clockMs += yearMs
    expect(behind()).toBe(yearMs)
    pass(20 * hourMs)
    expect(behind()).toBe(yearMs)
    at.clockMs -= yearMs
    expect(behind()).toBe(0)
  }
  expect(jumps).toEqual([yearMs, yearMs])
})

test('a clock that is far ahead of what is known at the start is no better', () => {
  const known = world({ knownMs: 1_795_255_200_000 - yearMs })
  expect(known.behind()).toBe(yearMs)
  expect(world({ knownMs: 1_795_255_200_000 + yearMs }).behind()).toBe(0)
})
