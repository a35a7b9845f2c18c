import { afterEach, describe, expect, test } from 'bun:test'
import { createSeriesWriter } from '../../../../src/embedded/collection/series/series-writer.ts'
import type { Label } from '../../../../src/embedded/exposition/sample.ts'
import { defaultLabelLimits, type LabelLimits } from '../../../../src/embedded/store/labels.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import { collectedWorld, readingsOf } from '../collected-world.ts'

afterEach(closeAll)

const minute = 60_000
const start = 100 * 60 * minute
const ofTarget: Label[] = [
  ['instance', 'i'],
  ['job', 'j'],
]

type Settings = { honorLabels?: boolean; reports?: string[]; keepMs?: number; limits?: LabelLimits }

/** A writer at `start`; `write` at so many minutes after it. */
function written({ honorLabels, reports, ...settings }: Settings = {}) {
  const world = collectedWorld(settings)
  closeLater(world.close)
  const store = world.store()
  const writer = createSeriesWriter({
    store,
    clock: world.clock,
    organizationId: 1,
    labels: ofTarget,
    honorLabels: honorLabels ?? false,
    reports: reports ?? [],
  })
  return {
    ...world,
    writer,
    write(minutes: number, text: string) {
      world.setNow(start + minutes * minute)
      return writer.write(readingsOf(text), start + minutes * minute)
    },
    /** Samples by series; times in minutes since the start, as in `write`. */
    values: (metrics: string) =>
      Object.fromEntries(
        Object.entries(world.kept(metrics)).map(([name, samples]) => [
          name.replace('{instance="i",job="j"}', ''),
          samples.map(([timeMs, value]) => [(timeMs - start) / minute, value]),
        ]),
      ),
  }
}

test('what is no longer given is ended, and goes on when it is back', () => {
  const { write, values } = written()
  expect(write(0, 'a 1\nb 1\n')).toEqual({ samples: 2, added: 2, dropped: 0 })
  expect(write(1, 'a 2\n')).toEqual({ samples: 1, added: 0, dropped: 0 })
  expect(write(2, 'a 3\n')).toEqual({ samples: 1, added: 0, dropped: 0 })
  expect(write(3, 'a 4\nb 4\n')).toEqual({ samples: 2, added: 1, dropped: 0 })
  expect(values('.+')).toEqual({
    a: [0, 1, 2, 3].map((at) => [at, at + 1]),
    b: [
      [0, 1],
      [1, 'stale'],
      [3, 4],
    ],
  })
})

test('labels that come to the same series by another way count for themselves', () => {
  const { write, values } = written()
  expect(write(0, 'a{exported_job="x"} 1\na{job="x"} 2\n')).toEqual({ samples: 2, added: 2, dropped: 0 })
  expect(write(1, 'a{job="x"} 3\n').added).toBe(0)
  expect(write(2, 'a{exported_job="x"} 4\n').added).toBe(1)
  expect(write(3, 'a{exported_job="x"} 5\na{job="x"} 6\n').added).toBe(1)
  expect(Object.values(values('a')).flat()).toEqual([
    [0, 1],
    [1, 3],
    [2, 4],
    [3, 5],
  ])
})

test('a failure ends everything once, and what is back then is not new', () => {
  const { write, values } = written()
  write(0, 'a 1\n')
  write(1, '')
  write(2, '')
  expect(write(3, 'a 2\n').added).toBe(0)
  expect(values('a')).toEqual({
    a: [
      [0, 1],
      [1, 'stale'],
      [3, 2],
    ],
  })
})

test('the end of all ends the reports too, even at the very time of the last write', () => {
  const { write, writer, values } = written({ reports: ['up'] })
  write(0, `a 1\nold 1 ${start - minute}\n`)
  writer.report([1], start)
  writer.end(start)
  expect(values('a|up')).toEqual({
    a: [
      [0, 1],
      [1 / minute, 'stale'],
    ],
    up: [
      [0, 1],
      [1 / minute, 'stale'],
    ],
  })
  expect(values('old')).toEqual({ old: [[-1, 1]] })
})

test('a report replaces what the target gives under its name', () => {
  const { write, writer, values } = written({ reports: ['up'] })
  write(0, 'up 7\n')
  writer.report([1], start)
  write(1, 'a 1\n')
  writer.report([0], start + minute)
  expect(values('up')).toEqual({
    up: [
      [0, 1],
      [1, 0],
    ],
  })
})

test('of a series that comes twice the first counts, also where only the labels of the target make it one', () => {
  const { write, values } = written()
  expect(write(0, 'a 1\na 2\nb{exported_job="x"} 1\nb{job="x"} 2\n')).toEqual({ samples: 4, added: 3, dropped: 0 })
  expect(write(1, 'b{job="x"} 3\nb{exported_job="x"} 4\n').added).toBe(0)
  const b = 'b{exported_job="x",instance="i",job="j"}'
  expect(values('.+')).toEqual({
    a: [
      [0, 1],
      [1, 'stale'],
    ],
    [b]: [
      [0, 1],
      [1, 3],
    ],
  })
})

describe('a reading with a time of its own', () => {
  const at = (minutes: number) => start + minutes * minute

  test('goes there once, without an end, and never back', () => {
    const { write, values } = written()
    write(0, `a 1 ${at(-3)}\n`)
    write(1, `a 1 ${at(-3)}\n`)
    expect(write(2, `a 2 ${at(-1)}\n`).dropped).toBe(0)
    expect(write(3, `a 3 ${at(-2)}\n`).dropped).toBe(1)
    write(4, 'b 1\n')
    expect(values('a')).toEqual({
      a: [
        [-3, 1],
        [-1, 2],
      ],
    })
  })

  test('is dropped, and makes no series, where its time is not one', () => {
    const { write, kept } = written({ keepMs: 60 * minute })
    const impossible = [at(10) + 1, at(-60) - 1, 0, '9223372036854775807']
    const text = impossible.map((time, index) => `bad_${index} 1 ${time}\n`).join('')
    expect(write(0, `${text}good 1 ${at(10)}\nold 1 ${at(-60)}\n`)).toEqual({ samples: 6, added: 2, dropped: 4 })
    expect(Object.keys(kept('.+')).length).toBe(2)
  })

  test('ends the series that had none before', () => {
    const { write, values } = written()
    write(0, 'a 1\n')
    write(2, `a 2 ${at(1)}\n`)
    expect(values('a')).toEqual({
      a: [
        [0, 1],
        [1, 2],
        [2, 'stale'],
      ],
    })
  })
})

test('a clock that is set back leaves nothing out', () => {
  const { write, values } = written()
  write(60, 'a 1\n')
  write(0, 'a 2\n')
  write(1, 'b 1\n')
  expect(values('a')).toEqual({
    a: [
      [0, 2],
      [1, 'stale'],
      [60, 1],
    ],
  })
})

describe('beyond a limit', () => {
  const limits = { ...defaultLabelLimits, seriesPerOrganization: 5 }

  test('nothing is written, and it goes on once there is less', () => {
    const { write, values, store } = written({ limits, reports: ['up'] })
    write(0, 'a 1\nb 1\n')
    expect(() => write(1, 'a 2\nc 2\nd 2\ne 2\n')).toThrow('Quota exceeded')
    expect(values('.+')).toEqual({ a: [[0, 1]], b: [[0, 1]] })
    expect(store().usedBy(1).series).toBe(3)
    write(2, '')
    write(3, 'a 4\nc 4\n')
    expect(values('[abc]')).toEqual({
      a: [
        [0, 1],
        [2, 'stale'],
        [3, 4],
      ],
      b: [
        [0, 1],
        [2, 'stale'],
      ],
      c: [[3, 4]],
    })
  })

  test('of a label neither', () => {
    const { write, kept } = written()
    expect(() => write(0, `a 1\nb{x="${'y'.repeat(3000)}"} 1\n`)).toThrow('Invalid request')
    expect(kept('.+')).toEqual({})
  })
})
