import { describe, expect, test } from 'bun:test'
import {
  coveredWords,
  effectWords,
  minutesProblem,
  timesText,
} from '../../../../../src/web/page/pages/corrections/words.ts'
import { excludedWords } from '../../../../../src/web/page/pages/slo/excluded-words.ts'
import { correction } from './correction.ts'

const nowMs = Date.parse('2026-11-19T12:00:00Z')

describe('a correction', () => {
  test('has its begin and its end, or how often and how long it is', () => {
    expect(timesText(correction, nowMs)).toMatch(/ to /)
    const weekly = {
      ...correction,
      to: null,
      rrule: 'FREQ=WEEKLY;BYDAY=SU',
      duration_seconds: 7200,
      time_zone: 'Europe/Zurich',
    }
    expect(timesText(weekly, nowMs)).toMatch(/^weekly for 2.h, first .+ \(Europe\/Zurich\)$/)
  })

  test('names up to three SLOs, labels or the team', () => {
    const nameOf = (id: number) => (id === 9 ? undefined : `Shop ${id}`)
    expect(coveredWords({ ...correction, slo_ids: [7, 9] }, nameOf)).toBe('Shop 7, SLO 9')
    expect(coveredWords({ ...correction, slo_ids: [1, 2, 3, 4, 5] }, nameOf)).toBe('Shop 1, Shop 2, Shop 3 and 2 more')
    expect(coveredWords({ ...correction, slo_ids: null, labels: { team: 'pay' } }, nameOf)).toBe('SLOs with team=pay')
    expect(coveredWords({ ...correction, slo_ids: null, team_id: 3 }, nameOf)).toBe('SLOs of team 3')
  })
})

test('the effect of a correction has both budgets, or says that it has none yet', () => {
  const one = { slo_name: 'Shop', seconds: 2400 }
  const used = { percentage_used: 80, percentage_used_corrected: 40 }
  expect(effectWords({ ...one, ...used })).toMatch(
    /^Shop: 40.min would not count; of the budget 40\.0.% would be used instead of 80\.0.%\.$/,
  )
  expect(effectWords({ ...one, ...used, seconds: 0 })).toBe('Shop: nothing of its window up to now.')
  expect(effectWords({ ...one, percentage_used: null, percentage_used_corrected: null })).toMatch(
    /^Shop: 40.min would not count\.$/,
  )
})

test('what does not count of a window stands beside the figures with it', () => {
  const of = {
    seconds: 2400,
    share: 0.000926,
    sli_without: 99.21,
    budget_used_percent_without: 80,
    resolution: '1m' as const,
  }
  expect(excludedWords(of, 99)).toMatch(
    /^40.min \(0\.1.%\) do not count\. With them 99\.21.?% was good, and 80.% of the budget used\.$/,
  )
  expect(excludedWords({ ...of, sli_without: null, resolution: '1h' }, 99)).toMatch(
    /do not count, to within an hour\.$/,
  )
})

test('the minutes of a correction that repeats are whole, and no more than the server takes', () => {
  expect(['1', ' 120 ', '10080'].map(minutesProblem)).toEqual([undefined, undefined, undefined])
  for (const wrong of ['10081', '99999', '0', '1.5', '-3', '']) {
    expect(minutesProblem(wrong)).toBe('A whole number of minutes, 10,080 at most.')
  }
})
