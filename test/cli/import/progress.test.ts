import { expect, test } from 'bun:test'
import { createProgress } from '../../../src/cli/import/progress.ts'

/** A progress display with its output and a clock that only the test advances. */
function said(columns?: number) {
  const written: string[] = []
  let nowMs = 0
  const out = { write: (text: string) => void written.push(text) }
  const progress = createProgress({ out, columns, stopwatch: { now: () => nowMs } })
  return { written, progress, waitMs: (ms: number) => void (nowMs += ms) }
}

test('on a terminal one line is drawn again and again, and taken away at the end', () => {
  const { written, progress, waitMs } = said(120)
  waitMs(2000)
  progress.show(500_000, 0.25)
  waitMs(598_000)
  progress.show(1_500_000, 0.75)
  progress.end()
  expect(written).toEqual([
    '\r\x1b[K[#####...............]  25 %  500,000 samples  250,000/s  6 s left',
    '\r\x1b[K[###############.....]  75 %  1,500,000 samples  2,500/s  3 min left',
    '\r\x1b[K',
  ])
})

test('a narrow terminal gets no more than fits', () => {
  const { written, progress, waitMs } = said(40)
  waitMs(1000)
  progress.show(1, 1)
  expect(written).toEqual(['\r\x1b[K[####################] 100 %  1 samples'])
})

test('elsewhere there is a line every five seconds, and none about the end', () => {
  const { written, progress, waitMs } = said()
  progress.show(0, 0.1)
  waitMs(1000)
  progress.show(2000, 0.5)
  waitMs(4999)
  progress.show(3000, 0.6)
  waitMs(1)
  progress.show(6000, 0.75)
  waitMs(5000)
  progress.show(8000, 1)
  progress.end()
  expect(written).toEqual(['50 %  2,000 samples  2,000/s  1 s left\n', '75 %  6,000 samples  1,000/s  2 s left\n'])
})

test('where nobody knows how much there is, nothing is said of what is left', () => {
  const { written, progress, waitMs } = said(80)
  waitMs(1000)
  progress.show(2000, undefined)
  expect(written).toEqual(['\r\x1b[K2,000 samples  2,000/s'])
})
