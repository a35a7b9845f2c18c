import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { backfillChunks } from '../../../src/ledger/backfill/steps.ts'

const day = 86_400
const minuteOf2026 = fc.integer({ min: 29_450_000, max: 29_980_000 })
const retention = fc.integer({ min: 1, max: 800 })

test('chunks of a resolution follow one another without gap or overlap, newest first, up to the last bucket that has ended', () => {
  fc.assert(
    fc.property(minuteOf2026, retention, (minutes, retentionDays) => {
      const endsAt = minutes * 60
      const chunks = backfillChunks(endsAt, retentionDays)
      for (const resolution of [60, 3600, day] as const) {
        const spans = chunks.filter((chunk) => chunk.resolution === resolution)
        expect(spans[0]?.endSeconds).toBe(endsAt - (endsAt % resolution))
        for (const [at, span] of spans.entries()) {
          expect(span.endSeconds).toBeGreaterThan(span.startSeconds)
          expect(span.startSeconds % resolution).toBe(0)
          expect(spans[at + 1]?.endSeconds ?? span.startSeconds).toBe(span.startSeconds)
        }
      }
    }),
  )
})

test('the past is asked for as far as it is kept', () => {
  const endsAt = 1_795_255_200 + 1320
  const firsts = (retentionDays: number) =>
    [60, 3600, day].map((resolution) => {
      const starts = backfillChunks(endsAt, retentionDays).filter((chunk) => chunk.resolution === resolution)
      return Math.floor((endsAt - (starts.at(-1)?.startSeconds ?? NaN)) / 3600) / 24
    })
  expect(firsts(400)).toEqual([3, 35, 400 + 10 / 24])
  expect(firsts(7)).toEqual([3, 7, 7 + 10 / 24])
  expect(firsts(1)).toEqual([1, 1, 1 + 10 / 24])
})

test('no chunk asks for much at once, and two ends in one hour share all but the first', () => {
  const chunks = backfillChunks(1_795_255_200 + 3540, 400)
  expect(chunks.map(({ resolution, startSeconds, endSeconds }) => (endSeconds - startSeconds) / resolution)).toEqual([
    779, 720, 720, 720, 720, 720, 120, 120, 120, 120, 120, 120, 120, 50, 50, 50, 50, 50, 50, 50, 50,
  ])
  expect(backfillChunks(1_795_255_200 + 60, 400).slice(1)).toEqual(chunks.slice(1))
})

test('a shorter retention has the same chunks as a longer one, and fewer', () => {
  const longer = backfillChunks(1_795_255_200, 400)
  expect(backfillChunks(1_795_255_200, 200)).toEqual(longer.slice(0, longer.length - 4))
})
