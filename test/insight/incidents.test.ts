import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { type Cell, extendToSamples, findIncidents, stretchesOf } from '../../src/insight/incidents.ts'

const minute = 60
/** Minutes from 0 on, each with these bad and total events. */
const cells = (...counts: [bad: number, total: number][]): Cell[] =>
  counts.map(([bad, total], at) => ({ startSeconds: at * minute, endSeconds: (at + 1) * minute, bad, total }))
const times = (n: number, count: [number, number]): [number, number][] => Array.from({ length: n }, () => count)
const minutesOf = (found: ReturnType<typeof findIncidents>) =>
  found.map(({ startSeconds, endSeconds }) => [startSeconds / minute, endSeconds / minute])

describe('incidents', () => {
  test('begin and end with the minutes in which more failed than the target allows', () => {
    const found = findIncidents(cells(...times(60, [0, 300]), ...times(22, [36, 300]), ...times(60, [0, 300])), 99.9)
    expect(found).toEqual([
      { startSeconds: 3600, endSeconds: 4920, bad: 792, total: 6600, peak: 0.12, resolutionSeconds: 60 },
    ])
  })

  test('are found among failures that happen all the time', () => {
    const noise = Array.from({ length: 300 }, (_, at): [number, number] => [at % 17 === 8 ? 1 : 0, 300])
    const found = findIncidents(cells(...noise, ...times(10, [30, 300]), ...noise), 99.9)
    expect(minutesOf(found)).toEqual([[300, 310]])
  })

  test('fail in stretches that are so many good minutes or more apart', () => {
    const outages = (calmMinutes: number, ...gaps: number[]) => {
      const all = cells(...gaps.flatMap((gap) => [...times(6, [1, 1]), ...times(gap, [0, 1])]), [1, 1])
      const [found] = findIncidents(all, 99.9)
      const stretches = found && stretchesOf(found, all, { targetPercent: 99.9, calmSeconds: calmMinutes * minute })
      return stretches?.map((one) => [one.startSeconds / minute, one.endSeconds / minute])
    }
    expect(outages(5, 6, 4)).toEqual([
      [0, 6],
      [12, 23],
    ])
    expect(outages(5, 4)).toEqual([[0, 11]])
    expect(outages(1, 1)).toEqual([
      [0, 6],
      [7, 8],
    ])
  })

  test('within 15 minutes of each other are one, and further apart are two', () => {
    const twice = (gap: number) => cells(...times(5, [50, 100]), ...times(gap, [0, 100]), ...times(5, [50, 100]))
    expect(minutesOf(findIncidents(twice(15), 99))).toEqual([[0, 20 + 5]])
    expect(minutesOf(findIncidents(twice(60), 90))).toEqual([
      [0, 5],
      [65, 70],
    ])
  })

  test('of little traffic are found by how many minutes failed', () => {
    const found = findIncidents(cells(...times(100, [0, 1]), ...times(30, [1, 1]), ...times(100, [0, 1])), 99.9)
    expect(minutesOf(found)).toEqual([[100, 130]])
  })

  test('are none where nothing failed, where nothing was measured, and where chance explains it', () => {
    expect(findIncidents([], 99.9)).toEqual([])
    expect(findIncidents(cells(...times(100, [0, 300])), 99.9)).toEqual([])
    expect(findIncidents(cells(...times(50, [0, 300]), [1, 300], ...times(50, [0, 300])), 99.9)).toEqual([])
  })

  test('hours apart are not one, however much they cost and however near the target the time between is', () => {
    const steady = Array.from({ length: 400 }, (_, at): [number, number] => [at % 5 === 2 ? 4 : 1, 2000])
    const found = findIncidents(
      cells(...steady, ...times(30, [900, 2000]), ...steady, ...times(20, [700, 2000]), ...steady),
      99.9,
    )
    expect(minutesOf(found)).toEqual([
      [400, 430],
      [830, 850],
    ])
  })

  test('end where there is no traffic, or nothing measured, for more than 15 minutes', () => {
    const failing = times(5, [50, 100])
    expect(minutesOf(findIncidents(cells(...failing, ...times(30, [0, 0]), ...failing), 99))).toEqual([
      [0, 5],
      [35, 40],
    ])
    const later = cells(...failing).map((cell) => ({
      ...cell,
      startSeconds: cell.startSeconds + 6000,
      endSeconds: cell.endSeconds + 6000,
    }))
    expect(minutesOf(findIncidents([...cells(...failing), ...later], 99))).toEqual([
      [0, 5],
      [100, 105],
    ])
  })

  test('keep a faint edge in which more failed than chance brings about, and leave out what chance does', () => {
    const calm = times(60, [0, 2400])
    const edges = cells(...calm, [3, 2400], ...times(5, [0, 2400]), [280, 2400], ...times(11, [2400, 2400]), ...calm)
    expect(minutesOf(findIncidents(edges, 99.9))).toEqual([[66, 78]])
  })

  test('of a slow burn last as long as it does', () => {
    const found = findIncidents(
      cells(...times(500, [0, 1000]), ...times(300, [2, 1000]), ...times(500, [0, 1000])),
      99.9,
    )
    expect(minutesOf(found)).toEqual([[500, 800]])
  })
})

test('incidents lie in the order of time, do not meet, and hold what their cells hold', () => {
  const count = fc
    .integer({ min: 0, max: 50 })
    .chain((total) => fc.tuple(fc.integer({ min: 0, max: total }), fc.constant(total)))
  fc.assert(
    fc.property(fc.array(count, { maxLength: 200 }), fc.constantFrom(50, 90, 99, 99.9, 100), (counts, target) => {
      const all = cells(...counts)
      let endBefore = -Infinity
      for (const { startSeconds, endSeconds, bad, total, peak } of findIncidents(all, target)) {
        expect(startSeconds - endBefore).toBeGreaterThan(15 * minute)
        const inside = all.filter((cell) => cell.startSeconds >= startSeconds && cell.endSeconds <= endSeconds)
        expect(bad).toBe(inside.reduce((sum, cell) => sum + cell.bad, 0))
        expect(total).toBe(inside.reduce((sum, cell) => sum + cell.total, 0))
        expect(peak).toBeLessThanOrEqual(1)
        endBefore = endSeconds
      }
    }),
  )
})

test('cells of slow scrapes begin after the sample before, at most an interval earlier', () => {
  const at = (minute: number, total: number) => ({
    startSeconds: minute * 60,
    endSeconds: minute * 60 + 60,
    bad: 0,
    total,
  })
  const cells = [at(0, 0), at(1, 0), at(2, 9), at(3, 0), at(4, 9), at(6, 9), at(7, 0)]
  const spans = extendToSamples(cells, 120).map(({ startSeconds, endSeconds }) => [startSeconds / 60, endSeconds / 60])
  expect(spans).toEqual([
    [0, 1],
    [1, 3],
    [3, 5],
    [6, 7],
    [7, 8],
  ])
})
