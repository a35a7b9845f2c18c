import { afterEach, expect, jest, test } from 'bun:test'
import { startTimetable } from '../../src/jobs/timetable.ts'
import { testApp, testStartMs } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'

afterEach(async () => {
  jest.useRealTimers()
  await closeAll()
})

/** Start times of flushes, in seconds, if they take these durations. */
async function beginnings(durations: number[]): Promise<number[]> {
  const { app, close, clock } = await testApp()
  closeLater(close)
  jest.useFakeTimers({ now: testStartMs })
  const began: number[] = []
  const flushCooperatively = () =>
    new Promise<boolean>((resolve) => {
      began.push((Date.now() - testStartMs) / 1000)
      setTimeout(() => resolve(false), (durations[began.length - 1] ?? 0) * 1000)
    })
  const timetable = startTimetable({ ...app, samples: { ...app.samples, flushCooperatively } })
  closeLater(timetable.stop)
  while (began.length < durations.length) {
    clock.advance(100)
    jest.advanceTimersByTime(100)
    await Promise.resolve()
  }
  return began
}

test('samples are written every two seconds, and again within a second of a write that took longer', async () => {
  expect(await beginnings([0, 0.5, 2.5, 0, 4.1, 0])).toEqual([1, 3, 5, 8, 10, 15])
})
