import { expect, test } from 'bun:test'
import { createActiveTimeClock } from '../../../src/status/watch/watchdog.ts'
import { watchEvaluations } from '../../../src/status/watch/health-checks.ts'

const intervalMs = 60_000

function watching({ interval = intervalMs, active = true } = {}) {
  const clock = { ms: 0, now: () => clock.ms }
  const slos = { active, isReadable: true }
  const hasSlosToEvaluate = async () => {
    if (!slos.isReadable) throw new Error('database disk image is malformed')
    return slos.active
  }
  return { clock, slos, watch: watchEvaluations({ clock, intervalMs: interval, hasSlosToEvaluate }) }
}

test('evaluation has stalled after three intervals without one, and goes on with the next', async () => {
  const { clock, watch } = watching()
  watch.noteStored()
  clock.ms = 3 * intervalMs - 1
  expect(await watch.check()).toBeNull()
  clock.ms += 1
  expect(await watch.check()).toBe('no SLO has been evaluated for 3 minutes')
  watch.noteStored()
  expect(await watch.check()).toBeNull()
})

test('after a start nothing is known before the first evaluation, for three intervals', async () => {
  const { clock, watch } = watching()
  expect(await watch.check()).toBeUndefined()
  clock.ms = 3 * intervalMs
  expect(await watch.check()).toBe('no SLO has been evaluated for 3 minutes')
})

test('without active SLOs nothing has to be evaluated, and the first one has its time', async () => {
  const { clock, slos, watch } = watching({ active: false })
  clock.ms = 10 * intervalMs
  expect(await watch.check()).toBeNull()
  slos.active = true
  clock.ms += 2 * intervalMs
  expect(await watch.check()).toBeUndefined()
  clock.ms += intervalMs
  expect(await watch.check()).toBe('no SLO has been evaluated for 3 minutes')
})

test('a list of SLOs that cannot be read does not pass for an empty one', async () => {
  const { clock, slos, watch } = watching()
  slos.isReadable = false
  clock.ms = 3 * intervalMs
  expect(await watch.check()).toBe('no SLO has been evaluated for 3 minutes')
})

test('with EVALUATION_INTERVAL=0 nothing is expected', async () => {
  const { clock, watch } = watching({ interval: 0 })
  clock.ms = 1e9
  expect(await watch.check()).toBeNull()
})

test('a machine that slept for an hour has missed 30 seconds', () => {
  const stopwatch = { ms: 0, now: () => stopwatch.ms }
  const clock = createActiveTimeClock(stopwatch)
  for (let second = 0; second < 60; second += 5) {
    stopwatch.ms += 5000
    clock.tick()
  }
  expect(clock.now()).toBe(60_000)
  stopwatch.ms += 3_600_000
  expect(clock.now()).toBe(90_000)
  clock.tick()
  stopwatch.ms += 5000
  expect(clock.now()).toBe(95_000)
})
