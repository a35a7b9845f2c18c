import { describe, expect, test } from 'bun:test'
import { hourMs, minuteMs } from '../../../src/clock.ts'
import {
  afterDeadline,
  afterReport,
  type Expectation,
  type Progress,
  type Report,
  limitDueTime,
  stateOf,
} from '../../../src/embedded/heartbeats/runs.ts'
import { seeded } from '../../support/seeded.ts'
import { nextDue } from '../../../src/embedded/heartbeats/schedule.ts'

const fresh: Progress = { dueMs: null, runs: 0, goodRuns: 0, last: null, starts: {} }
const hourly: Expectation = { schedule: { periodMs: hourMs }, graceMs: 10 * minuteMs }
const nightly: Expectation = {
  schedule: { cron: '30 2 * * *', timeZone: 'Europe/Zurich' },
  graceMs: hourMs,
}
const at = (time: string) => Date.parse(time)

/** Plays reports of times since `fromMs`, with a look every second minute; off: spans in which nines did not run. */
function play(expectation: Expectation, fromMs: number, toMs: number, reports: Report[], off: [number, number][] = []) {
  let progress = fresh
  const outcomes: (string | null)[] = []
  let watchedSinceMs = fromMs
  const queue = reports.toSorted((a, b) => a.atMs - b.atMs)
  const isOff = (ms: number) => off.some(([from, to]) => ms >= from && ms < to)
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += minuteMs) {
    if (isOff(nowMs)) {
      watchedSinceMs = nowMs + minuteMs
      while ((queue[0]?.atMs ?? Infinity) <= nowMs) queue.shift()
      continue
    }
    while ((queue[0]?.atMs ?? Infinity) <= nowMs) {
      const report = queue.shift() as Report
      const step = afterReport(expectation, progress, report)
      progress = step.progress
      if (step.run) outcomes.push(step.run.outcome)
    }
    for (let step = afterDeadline(expectation, progress, { nowMs, watchedSinceMs }); step;) {
      progress = step.progress
      outcomes.push(step.run.outcome)
      step = afterDeadline(expectation, progress, { nowMs, watchedSinceMs })
    }
  }
  return { progress, outcomes }
}

describe('a period', () => {
  test('nothing is missed before the first report', () => {
    const { progress, outcomes } = play(hourly, 0, 48 * hourMs, [])
    expect([outcomes, stateOf(progress, 48 * hourMs)]).toEqual([[], 'waiting'])
  })

  test('each hour without a report is a missed run, and a report after it is late and counts as none', () => {
    const { progress, outcomes } = play(hourly, 0, 4 * hourMs, [
      { kind: 'success', atMs: 0 },
      { kind: 'success', atMs: 3.5 * hourMs },
    ])
    expect(outcomes).toEqual(['good', 'missed', 'missed', 'missed', 'late'])
    expect(progress).toMatchObject({ runs: 4, goodRuns: 1, last: 'late', dueMs: 4.5 * hourMs })
  })

  test('a failure decides its run at once, and the next report is a run of its own', () => {
    const { progress, outcomes } = play(hourly, 0, hourMs, [
      { kind: 'fail', atMs: minuteMs },
      { kind: 'success', atMs: 5 * minuteMs },
    ])
    expect([outcomes, progress.runs, progress.goodRuns]).toEqual([['failed', 'good'], 2, 1])
  })

  test('a start makes its run due, and says how long it took', () => {
    const started = afterReport(hourly, fresh, { kind: 'start', atMs: 1000, runId: 'a' })
    expect(started).toEqual({ progress: { ...fresh, dueMs: 1000, starts: { a: 1000 } }, run: null })
    const other = afterReport(hourly, started.progress, { kind: 'start', atMs: 2000, runId: 'b' })
    const { run, progress } = afterReport(hourly, other.progress, { kind: 'success', atMs: 61_000, runId: 'a' })
    expect(run).toMatchObject({ outcome: 'good', startedMs: 1000, durationMs: 60_000 })
    expect(progress.starts).toEqual({ b: 2000 })
  })

  test('starts without an end are at most twenty', () => {
    let progress = fresh
    for (let n = 0; n < 100; n += 1)
      progress = afterReport(hourly, progress, { kind: 'start', atMs: n, runId: `${n}` }).progress
    expect(Object.keys(progress.starts)).toHaveLength(20)
    expect(progress.starts['99']).toBe(99)
  })
})

describe('a cron expression', () => {
  const reported = { ...fresh, runs: 1, goodRuns: 1, last: 'good' as const, dueMs: at('2026-11-21T01:30:00Z') }

  test('a second report of one night counts as no run, one a few seconds early is that of its night', () => {
    const early = afterReport(nightly, reported, { kind: 'success', atMs: at('2026-11-21T01:29:50Z') })
    expect(early.progress).toMatchObject({ runs: 2, dueMs: at('2026-11-22T01:30:00Z') })
    const again = afterReport(nightly, early.progress, { kind: 'success', atMs: at('2026-11-21T01:40:00Z') })
    expect([again.progress.runs, again.run?.outcome]).toEqual([2, null])
  })

  test.each([
    ['missed', at('2026-11-21T00:00:00Z'), 2],
    ['unknown', at('2026-11-21T01:31:00Z'), 1],
  ])('a night without a report is %s, depending on when nines began to run', (last, watchedSinceMs, runs) => {
    const looked = { nowMs: at('2026-11-21T02:30:00Z'), watchedSinceMs }
    expect(afterDeadline(nightly, reported, { ...looked, nowMs: looked.nowMs - 1 })).toBeNull()
    const step = afterDeadline(nightly, reported, looked)
    expect(step?.progress).toMatchObject({ last, runs, dueMs: at('2026-11-22T01:30:00Z') })
  })

  test('a month off is one unknown run, not thirty', () => {
    const nowMs = at('2026-12-21T12:00:00Z')
    const step = afterDeadline(nightly, reported, { nowMs, watchedSinceMs: nowMs })
    expect(step?.progress).toMatchObject({ last: 'unknown', runs: 1, dueMs: at('2026-12-22T01:30:00Z') })
  })

  test('a clock that was set back leaves no run due further ahead than its schedule', () => {
    const ahead = { ...reported, dueMs: at('2030-01-01T01:30:00Z') }
    expect(limitDueTime(nightly, ahead, at('2026-11-21T12:00:00Z')).dueMs).toBe(at('2026-11-22T01:30:00Z'))
    expect(limitDueTime(nightly, reported, at('2026-11-20T12:00:00Z')).dueMs).toBe(reported.dueMs)
  })
})

describe('random schedules', () => {
  const crons = ['*/15 * * * *', '0 * * * *', '30 2 * * *', '0 3 * * 1-5', '*/7 1-4 * * *', '@daily']
  const zones = ['UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']
  const spans = ['2026-03-07T00:00:00Z', '2026-03-28T00:00:00Z', '2026-10-24T00:00:00Z', '2026-10-31T00:00:00Z']
  const random = seeded(31)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

  test('each due time is after the one before, and the same from anywhere in between', () => {
    for (let round = 0; round < 30; round += 1) {
      const schedule = { cron: pick(crons), timeZone: pick(zones) }
      let beforeMs = at(pick(spans))
      for (let n = 0; n < 20; n += 1) {
        const dueMs = nextDue(schedule, beforeMs)
        expect(dueMs).toBeGreaterThan(beforeMs)
        expect(dueMs % minuteMs).toBe(0)
        expect(nextDue(schedule, beforeMs + Math.floor(random() * (dueMs - beforeMs)))).toBe(dueMs)
        beforeMs = dueMs
      }
    }
  })

  test('runs and good runs are those that an independent count has, over changes of the clocks and times off', () => {
    for (let round = 0; round < 30; round += 1) {
      const schedule = { cron: pick(crons), timeZone: pick(zones) }
      const expectation = { schedule, graceMs: 5 * minuteMs }
      const fromMs = at(pick(spans))
      const toMs = fromMs + 60 * hourMs
      const offMs = fromMs + Math.floor(random() * 50) * hourMs
      const off: [number, number][] = random() < 0.5 ? [[offMs, offMs + Math.ceil(random() * 300) * minuteMs]] : []
      const isOff = (ms: number) => off.some(([from, to]) => ms >= from && ms < to)
      const due: number[] = []
      for (let ms = nextDue(schedule, fromMs); ms < toMs - 10 * minuteMs; ms = nextDue(schedule, ms)) due.push(ms)
      const reports: Report[] = []
      const counts = { runs: 0, goodRuns: 0 }
      let hasBegun = false
      for (const dueMs of due) {
        const kind = pick(['success', 'success', 'fail', null] as const)
        const isSeen = kind !== null && !isOff(dueMs + minuteMs)
        if (kind !== null) reports.push({ kind, atMs: dueMs + minuteMs })
        const isWatched = Array.from({ length: 6 }, (_, n) => dueMs + n * minuteMs).every((ms) => !isOff(ms))
        if (isSeen || (hasBegun && isWatched)) counts.runs += 1
        if (isSeen && kind === 'success') counts.goodRuns += 1
        hasBegun ||= isSeen
      }
      const { progress } = play(expectation, fromMs, toMs, reports, off)
      expect({ schedule, off, runs: progress.runs, goodRuns: progress.goodRuns }).toEqual({ schedule, off, ...counts })
    }
  })
})
