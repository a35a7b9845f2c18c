import { expect, test } from 'bun:test'
import { aboutOf, draftOfAddress, draftOfSlo } from '../../../../../src/web/page/pages/slo-form/draft.ts'
import type { Slo } from '../../../../../src/web/page/api/types.ts'

const sloWith = (service_hours: Slo['service_hours']) =>
  ({
    target: 99,
    time_window: '30d',
    picks: null,
    budget_policy: [],
    labels: {},
    name: 'a',
    description: '',
    owner: '',
    runbook_url: '',
    service_hours,
  }) as unknown as Slo

const hours = [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }]

test.each([
  ['none', null],
  ['some', { time_zone: 'Europe/Zurich', hours, holidays: [] }],
  ['some with holidays', { time_zone: 'Asia/Kathmandu', hours, holidays: ['2026-12-25', '2027-01-01'] }],
])('an SLO with service hours: %s is sent as it was', (_, service_hours) => {
  expect(aboutOf(draftOfSlo(sloWith(service_hours))).service_hours).toEqual(service_hours)
})

test('typed hours and holidays are sent without blanks, each holiday once and in order', () => {
  const draft = {
    ...draftOfAddress({}, null),
    hours: [{ days: [6], from: ' 09:00', to: '12:00 ' }],
    hoursZone: ' UTC',
    holidays: '2027-01-01, 2026-12-25;2027-01-01 ',
  }
  expect(aboutOf(draft).service_hours).toEqual({
    time_zone: 'UTC',
    hours: [{ days: [6], from: '09:00', to: '12:00' }],
    holidays: ['2026-12-25', '2027-01-01'],
  })
})

test('without hours it counts at all times', () => {
  const draft = { ...draftOfAddress({}, null), hoursZone: 'UTC', holidays: '2026-12-25' }
  expect(aboutOf(draft).service_hours).toBeNull()
})
