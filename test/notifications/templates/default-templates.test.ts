import { describe, expect, test } from 'bun:test'
import type { SloData } from '../../../src/notifications/notification-data.ts'
import { defaultTexts } from '../../../src/notifications/templates/default-templates.ts'
import type { TemplateData } from '../../../src/notifications/templates/template-data.ts'
import { someAlert } from '../../support/messages.ts'
import { someTemplateData, budgetAlert, statusAlert } from '../../support/template-data.ts'

const name = 'Checkout availability'
const budget = (remaining: number) => ({ error_budget_used: 100 - remaining, error_budget_remaining: remaining })
const healthy = { status: 'healthy', current_value: 99.95 } as const
const ended = { ended_at: '2026-03-01T12:00:00.000Z' }
const rates = (long: number, short: number) => ({
  burn_rate: { factor: 14.4, long_window: '1h', short_window: '5m', long, short },
})

test('a page says what, how bad, until when, since when, and where to look', () => {
  expect(defaultTexts(someTemplateData({}, budget(40)))).toEqual({
    subject: 'Page: Checkout availability burns its error budget 16.2 times as fast as it may',
    message: `Checkout availability burns its error budget too fast.
Burn rate: 16.2 over 1 h, 20.5 over 5 min; too fast is more than 14.4 over both.
SLI: 99.87 % over the last 1 h, target 99.9 %.
Error budget of 30 d: 40 % left. At the burn rate of the last 1 h the rest is used up in 17 h 47 min.
Since 2026-03-01 11:58 UTC. Measured 2026-03-01 12:00 UTC.

Orders that were taken
Labels: team=shop, tier=1
https://nines.example/slos/7`,
  })
})

test('a recovery says how long it lasted', () => {
  const alert = someAlert({ ...rates(3, 0), ...ended })
  expect(defaultTexts(someTemplateData({ event: 'recovery' }, { ...healthy, ...budget(40), alert }))).toEqual({
    subject: 'Recovered: Checkout availability no longer burns its error budget too fast',
    message: `Checkout availability no longer burns its error budget too fast.
Burn rate: 3 over 1 h, 0 over 5 min; too fast is more than 14.4 over both.
SLI: 99.95 % over the last 1 h, target 99.9 %.
Error budget of 30 d: 40 % left.
From 2026-03-01 11:58 UTC to 2026-03-01 12:00 UTC (2 min).

Orders that were taken
Labels: team=shop, tier=1
https://nines.example/slos/7`,
  })
})

test('what there is not, or is not known, leaves no gaps', () => {
  const unknown = { current_value: null, error_budget_used: null, error_budget_remaining: null, measured_at: null }
  const data: Partial<SloData> = { ...unknown, status: 'unknown', labels: {}, description: '', alert: null }
  expect(defaultTexts(someTemplateData({ event: 'message', alertType: 'manual' }, data))).toEqual({
    subject: 'Unknown: Checkout availability at an unknown value, target 99.9 %',
    message: `SLI: unknown, target 99.9 %.
Error budget of 30 d: unknown.

https://nines.example/slos/7`,
  })
})

describe('an alert', () => {
  test.each<[Partial<SloData>, string, string]>([
    [
      { alert: statusAlert },
      `Critical: ${name} at 99.87 % over the last 1 h, target 99.9 %`,
      `${name} is below its target over the last 1 h.`,
    ],
    [
      { alert: { ...statusAlert, severity: 'warning' }, status: 'warning' },
      `Warning: ${name} at 99.87 % over the last 1 h, target 99.9 %`,
      `${name} is below its target over the last 1 h.`,
    ],
    [
      { alert: statusAlert, time_window: '1h' },
      `Critical: ${name} at 99.87 % over the last 5 min, target 99.9 %`,
      `${name} is below its target over the last 5 min.`,
    ],
    [
      { alert: budgetAlert(25), ...budget(24.75) },
      `Warning: ${name} has 25 % of its error budget left`,
      `${name} has no more than 25 % of its error budget left.`,
    ],
    [
      { alert: budgetAlert(0), ...budget(-0.3) },
      `Critical: ${name} has used up its error budget`,
      `The error budget of ${name} is used up.`,
    ],
    [
      { alert: budgetAlert(0), ...budget(-224) },
      `Critical: ${name} has used its error budget 3.2 times over`,
      `The error budget of ${name} is used up.`,
    ],
    [
      { alert: budgetAlert(0), ...budget(-930.02) },
      `Critical: ${name} has used its error budget over 10 times`,
      `The error budget of ${name} is used up.`,
    ],
    [
      { alert: someAlert({ severity: 'ticket' }) },
      `Ticket: ${name} burns its error budget 16.2 times as fast as it may`,
      `${name} burns its error budget too fast.`,
    ],
  ])('of %j', (data, subject, opening) => {
    const texts = defaultTexts(someTemplateData({}, data))
    expect([texts.subject, texts.message.split('\n')[0]]).toEqual([subject, opening])
  })

  test('states no part of a budget that is used up', () => {
    const messageWith = (left: number) =>
      defaultTexts(someTemplateData({}, { alert: budgetAlert(0), ...budget(left) })).message
    expect(messageWith(-0.3)).toContain('Error budget of 30 d: used up.')
    expect(messageWith(-930.02)).toContain('Error budget of 30 d: used over 10 times.')
  })

  test.each<[Partial<SloData>, boolean]>([
    [budget(40), true],
    [budget(0), false],
    [budget(-30), false],
    [{ ...budget(40), alert: someAlert(rates(0, 0)) }, false],
    [{ ...budget(40), alert: someAlert({ burn_rate: null }) }, false],
    [{ ...budget(40), alert: statusAlert }, false],
  ])('with %j says when the budget is used up: %p', (data, says) => {
    expect(defaultTexts(someTemplateData({}, data)).message.includes('At the burn rate of the last 1 h ')).toBe(says)
  })

  test.each([
    ['30d', '1 h'],
    ['1h', '5 min'],
  ])('of an SLO of %s is about the value of the last %s', (time_window, window) => {
    expect(defaultTexts(someTemplateData({}, { time_window })).message).toContain(
      `99.87 % over the last ${window}, target`,
    )
  })

  test('that is requested by hand claims nothing that was not measured', () => {
    const said = (alertType: TemplateData['alertType']) =>
      defaultTexts(someTemplateData({ alertType }, { ...healthy, ...budget(80), alert: null }))
    expect(said('slo_below_target').subject).toBe(`Critical: ${name} at 99.95 % over the last 1 h, target 99.9 %`)
    expect(said('slo_below_target').message).toStartWith('SLI: 99.95 % over')
    expect(said('error_budget_exhausted').subject).toBe(`Critical: ${name} has 80 % of its error budget left`)
    expect(said('error_budget_low').message).toStartWith('SLI: 99.95 % over')
    expect(said('burn_rate_too_fast').subject).toBe(`Warning: ${name} burns its error budget too fast`)
  })
})

describe('a recovery', () => {
  test.each<[Partial<SloData>, string, string]>([
    [
      { alert: { ...statusAlert, ...ended }, ...healthy },
      `Recovered: ${name} at 99.95 % over the last 1 h, target 99.9 %`,
      `${name} meets its target again.`,
    ],
    [
      { alert: { ...budgetAlert(25), ...ended }, ...budget(27.5) },
      `Recovered: ${name} has 28 % of its error budget left`,
      `${name} has more than 25 % of its error budget left again.`,
    ],
    [
      { alert: { ...budgetAlert(0), ...ended }, ...budget(2.5) },
      `Recovered: ${name} has 2.5 % of its error budget left`,
      `${name} has error budget left again.`,
    ],
    [
      { alert: null, ...healthy },
      `Recovered: ${name} at 99.95 % over the last 1 h, target 99.9 %`,
      `${name} meets its target again.`,
    ],
  ])('of %j', (data, subject, opening) => {
    const texts = defaultTexts(someTemplateData({ event: 'recovery', alertType: 'recovery' }, data))
    expect([texts.subject, texts.message.split('\n')[0]]).toEqual([subject, opening])
  })

  const unknownState = {
    status: 'unknown',
    current_value: null,
    error_budget_used: null,
    error_budget_remaining: null,
  } as const
  test.each<[Partial<SloData>, string]>([
    [{ ...unknownState, alert: { ...statusAlert, ...ended } }, 'SLI'], // its SLO was deleted
    [{ alert: { ...budgetAlert(25), ...ended }, ...budget(20) }, 'error budget'], // its threshold was removed
    [{ alert: someAlert({ ...ended, burn_rate: null }) }, 'burn rate'], // its tier was removed
    [{ alert: someAlert(ended) }, 'burn rate'], // its tier is disabled
  ])('that was not measured is not claimed: %j', (data, object) => {
    const texts = defaultTexts(someTemplateData({ event: 'recovery', alertType: 'recovery' }, data))
    expect(texts.subject).toBe(`Ended: the alert on the ${object} of ${name}`)
    expect(texts.message).toStartWith(`This alert has ended. Whether ${name} has recovered was not measured.\n`)
  })
})
