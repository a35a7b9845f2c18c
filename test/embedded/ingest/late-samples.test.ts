import { expect, test } from 'bun:test'
import { minuteMs } from '../../../src/clock.ts'
import { createLateSamples } from '../../../src/embedded/ingest/late-samples.ts'
import { testStartMs } from '../../support/app.ts'

/** Late samples with a clock that moves in `pass`; `restarted`: organizations in the order of their restarts. */
function world() {
  let nowMs = testStartMs
  const restarted: number[] = []
  const clock = { now: () => nowMs }
  const late = createLateSamples({ clock, restart: async (organizationId) => restarted.push(organizationId) })
  return {
    restarted,
    run: late.run,
    note: (organizationId: number, ageMs: number) => late.note(organizationId, nowMs - ageMs),
    pass: (ms: number) => void (nowMs += ms),
  }
}

test('samples of minutes that are still measured restart nothing', async () => {
  const { note, pass, run, restarted } = world()
  note(1, 2 * minuteMs)
  pass(10 * minuteMs)
  await run()
  expect(restarted).toEqual([])
})

test('older ones restart the past of their organization once, when none has come for half a minute', async () => {
  const { note, pass, run, restarted } = world()
  note(1, 3 * minuteMs)
  pass(20_000)
  note(1, 3 * minuteMs)
  pass(20_000)
  await run()
  expect(restarted).toEqual([])
  pass(10_000)
  await run()
  await run()
  expect(restarted).toEqual([1])
})

test('a sender that never pauses restarts it once an hour', async () => {
  const { note, pass, run, restarted } = world()
  for (let second = 0; second < 3 * 3600; second += 10) {
    note(1, 3 * minuteMs)
    await run()
    pass(10_000)
  }
  expect(restarted).toEqual([1, 1])
})

test('it is restarted at most every ten minutes, each organization by itself', async () => {
  const { note, pass, run, restarted } = world()
  note(1, 3 * minuteMs)
  pass(minuteMs)
  await run()
  note(1, 3 * minuteMs)
  note(2, 3 * minuteMs)
  pass(9 * minuteMs)
  await run()
  expect(restarted).toEqual([1, 2])
  pass(minuteMs)
  await run()
  expect(restarted).toEqual([1, 2, 1])
})
