import { expect, test } from 'bun:test'
import type { ListedReport, Report, ReportedSlo } from '../../../../../src/web/page/pages/reports/types.ts'
import {
  failedWords,
  measuredWords,
  resultWords,
  scopeWords,
  usedWords,
  verdictWords,
} from '../../../../../src/web/page/pages/reports/words.ts'

test.each([
  [{ status: 'pending', met_count: null, missed_count: null, slo_count: null }, 'Is being made'],
  [{ status: 'failed', met_count: null, missed_count: null, slo_count: null }, 'Could not be made'],
  [{ status: 'ready', met_count: 0, missed_count: 0, slo_count: 0 }, 'No SLOs'],
  [{ status: 'ready', met_count: 0, missed_count: 0, slo_count: 3 }, 'Not known'],
  [{ status: 'ready', met_count: 9, missed_count: 1, slo_count: 12 }, '9 of 10 met'],
])('the result of a report with %p is %p', (row, words) => {
  expect(resultWords(row as ListedReport)).toBe(words)
})

test.each([
  [{ met: 1, missed: 0, unknown: 0, slo_count: 1 }, 'The SLO met its target.'],
  [{ met: 10, missed: 0, unknown: 1, slo_count: 11 }, 'All 10 SLOs met their target. 1 is not known.'],
  [{ met: 9, missed: 1, unknown: 2, slo_count: 12 }, '9 of 10 SLOs met their target. 2 are not known.'],
  [{ met: 0, missed: 0, unknown: 2, slo_count: 2 }, 'Too little was measured to say.'],
  [{ met: 0, missed: 0, unknown: 0, slo_count: 0 }, 'No SLO was in force in this period.'],
])('the verdict over %p is %p', (summary, words) => {
  expect(verdictWords({ summary } as Report)).toBe(words)
})

test('failures stand beside those that the target allows, in events or in time', () => {
  const slo = { bad: 12_600, allowed: 8940, total: 8_940_000, unit: 'events' } as ReportedSlo
  expect(failedWords(slo)).toBe('12,600 of 8,940')
  expect(failedWords({ ...slo, total: 0 })).toBe('–')
  expect(failedWords({ ...slo, unit: 'seconds', bad: 1260, allowed: 2682 }).replaceAll(/\s/g, ' ')).toBe(
    '21 min of 45 min',
  )
})

test('what was measured is rounded down, and says where the ends were cut coarser', () => {
  const slo = { coverage: 0.19999, resolution: '1m' } as ReportedSlo
  expect(measuredWords(slo).replaceAll(/\s/g, ' ')).toBe('19.9 %')
  expect(measuredWords({ ...slo, coverage: 1, resolution: '1d' }).replaceAll(/\s/g, ' ')).toBe('100 %, cut at 1 d')
})

test('a budget that was used more than ten times over says so', () => {
  expect(usedWords(null)).toBe('–')
  expect(usedWords(1400)).toBe('over 10 times')
})

test.each([
  [{ all: true as const }, 'All SLOs'],
  [{ labels: { team: 'payments', env: 'prod' } }, 'team=payments, env=prod'],
  [{ team_id: 2 }, 'Shop'],
  [{ team_id: 3 }, 'A deleted team'],
])('the scope %p reads %p', (selector, words) => {
  expect(scopeWords({ selector }, [{ id: 2, name: 'Shop' }])).toBe(words)
})
