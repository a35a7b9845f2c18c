import { describe, expect, test } from 'bun:test'
import type { IncidentData, SloData } from '../../../src/notifications/notification-data.ts'
import { renderTexts } from '../../../src/notifications/templates/templates.ts'
import { utc, type Zone } from '../../../src/zone.ts'
import { someAlert, someIncident } from '../../support/messages.ts'
import { someTemplateData } from '../../support/template-data.ts'

const forecast = (seconds: number) => ({
  forecast: {
    exhausted_in_seconds: seconds,
    burn_rate: 171,
    basis: 'the burn rate of the last 5 min',
    basis_seconds: 300,
  },
})
const budget = (left: number) => ({ error_budget_used: 100 - left, error_budget_remaining: left })
const about = { slo_name: 'Checkout answers', description: '', labels: {} }
const links = `Runbook https://wiki.example/checkout
Incident https://nines.example/incidents/81
Acknowledge https://nines.example/incidents/81?acknowledge
Silence https://nines.example/incidents/81?silence`

function textsOf(incident: Partial<IncidentData>, data: Partial<SloData> = {}, zone = utc) {
  const ofIncident = someIncident(incident)
  const all = { ...about, runbook_url: 'https://wiki.example/checkout', ...budget(4.3), ...data, incident: ofIncident }
  return renderTexts(
    { subject: null, message: null },
    someTemplateData({ event: incident.event === 'recovered' ? 'recovery' : 'alert', zone }, all),
  )
}

describe('an incident that burns', () => {
  test('says what, how bad, since when, when the budget is gone, what fails and what to do', () => {
    expect(textsOf({}, forecast(660))).toEqual({
      subject: 'Checkout answers: burning 171× since 11:58 UTC, budget gone in 11 min',
      message: `40 % of requests failed in the last 5 min (1,204 of 3,010).
4.3 % of the 30 d budget is left.

${links}`,
    })
  })

  test.each([
    [250, 'https://ci.example/812', 'It began 4 min after deploy checkout v1.4.2: https://ci.example/812'],
    [59, '', 'It began within a minute of deploy checkout v1.4.2.'],
  ])('names the deploy %p s before it', (seconds_before, url, line) => {
    const deploy = { id: 51, title: 'deploy checkout v1.4.2', url, seconds_before }
    expect(textsOf({ deploy }, forecast(660)).message).toContain(`(1,204 of 3,010).\n${line}\n4.3 %`)
  })

  test.each<[Partial<IncidentData>, string]>([
    [{ event: 'rose' }, 'Checkout answers: now urgent, burning 171× since 11:58 UTC, budget gone in 11 min'],
    [{ event: 'again', relapses: 1 }, 'Checkout answers: burning 171× again since 11:58 UTC, budget gone in 11 min'],
    [{ event: 'flapping' }, 'Checkout answers: flapping, burning 171× since 11:58 UTC, budget gone in 11 min'],
    [
      { since: '2026-02-28T09:00:00.000Z', burn_rate: 3.17 },
      'Checkout answers: burning 3.2× since 2026-02-28 09:00 UTC, budget gone in 11 min',
    ],
  ])('with %j', (incident, subject) => {
    expect(textsOf(incident, forecast(660)).subject).toBe(subject)
  })

  test('whose budget is spent says so, and gives no forecast', () => {
    expect(textsOf({}, { ...budget(0), forecast: null }).subject).toEndWith('since 11:58 UTC, budget spent')
    expect(textsOf({}, { ...budget(-220), forecast: null }).message).toContain(
      'It has used the 30 d budget 3.2 times over.',
    )
    expect(textsOf({}, { ...budget(-43_802), forecast: null }).message).toContain('the 30 d budget over 10 times.')
  })

  test('of an SLO that counts time says which share of it failed', () => {
    const recent = { seconds: 300, share: 0.4, bad_events: null, total_events: null }
    expect(textsOf({ recent }).message).toStartWith('40 % of the last 5 min failed.\n')
  })

  test('that failed again and again says that the next message waits', () => {
    expect(textsOf({ event: 'flapping', relapses: 3 }).message).toContain(
      'It has failed again 3 times. The next message comes once it is stable.',
    )
  })

  test('says what the error budget policy says now', () => {
    const line = { percent_left: 5, text: 'Freeze of risky deploys', url: '' }
    expect(textsOf({}, { policy: line }).message).toContain(
      'budget is left.\nPolicy at 5 %: Freeze of risky deploys\n\n',
    )
    const linked = textsOf({}, { policy: { ...line, url: 'https://wiki.example/p' } }).message
    expect(linked).toContain('\nPolicy at 5 %: Freeze of risky deploys: https://wiki.example/p\n')
    const ofTeam = textsOf({}, { policy: { ...line, source: 'team' } }).message
    expect(ofTeam).toContain('\nPolicy of the team at 5 %: Freeze of risky deploys\n')
    expect(textsOf({}, { policy: null }).message).not.toContain('Policy')
  })

  test('names the owner', () => {
    expect(textsOf({}, { owner: 'Team Shop' }).message).toContain('\n\nOwner: Team Shop\nRunbook https://')
  })
})

describe('an outage', () => {
  const alert = someAlert({
    name: 'down',
    severity: 'critical',
    began_at: '2026-03-01T05:45:10.000Z',
    burn_rate: null,
    outage: { reason: 'HTTP 503, expected 2xx', is_up: false },
  })
  const down = { alert, slo_name: 'My site', ...forecast(2520), ...budget(97.2) }

  test('says since when to the second, and why', () => {
    expect(textsOf({ state: 'down', recent: null }, down)).toEqual({
      subject: 'My site is down since 05:45:10 UTC: HTTP 503, expected 2xx',
      message: `Every check fails.
97 % of the 30 d budget is left, 42 min of failing.

${links}`,
    })
  })

  test.each([
    [2569, '42 min'],
    [2520, '42 min'],
    [45, '45 s'],
  ])('of a budget that lasts %p s names no more than that', (seconds, lasts) => {
    expect(textsOf({ state: 'down' }, { ...down, ...forecast(seconds) }).message).toContain(
      `left, ${lasts} of failing.`,
    )
  })

  test('of a job says no budget that the missed run is not part of yet', () => {
    const reason = 'Backup has not reported by 05:45 UTC; it was due at 05:40:00 UTC, and has never succeeded'
    const ofJob = { ...down, alert: { ...alert, outage: { reason, is_up: false } } }
    expect(textsOf({ state: 'down', recent: null }, { ...ofJob, ...budget(100) })).toEqual({
      subject: 'My site is down since 05:45:10 UTC: Backup has not reported by 05:45 UTC',
      message: `It was due at 05:40:00 UTC, and has never succeeded.\n\n${links}`,
    })
    expect(textsOf({ state: 'down', recent: null }, { ...ofJob, ...budget(0) }).message).toContain(
      'The 30 d budget is spent.',
    )
  })

  test('that comes again says so', () => {
    expect(textsOf({ event: 'again', relapses: 1 }, down).subject).toStartWith(
      'My site is down again since 05:45:10 UTC',
    )
  })
})

describe('the end of an incident', () => {
  test('that was flapping says since when it is up', () => {
    const flapped = { event: 'recovered', is_up: true, relapses: 3, since: '2026-03-01T11:58:00.000Z' } as const
    const { subject, message } = textsOf({ ...flapped, recovered_at: '2026-03-01T11:59:00.000Z' })
    expect(subject).toBe('Checkout answers is stable again, up since 11:59 UTC')
    expect(message).toContain('It failed 4 times since')
  })

  const alert = someAlert({ ended_at: '2026-03-01T12:12:00.000Z' })
  const over: Partial<IncidentData> = { event: 'recovered', is_up: true, recovered_at: '2026-03-01T12:12:00.000Z' }

  test('says how long it took and what it used of the budget', () => {
    const cost = { percent: 27.8, bad_seconds: 720, allowed_seconds: 2592 }
    expect(textsOf({ ...over, cost }, { alert, forecast: null })).toEqual({
      subject: 'Checkout answers is up again after 14 min',
      message: `This outage used 28 % of the 30 d budget (12 of 43 min).
From 2026-03-01 11:58 UTC to 2026-03-01 12:12 UTC.

Runbook https://wiki.example/checkout
Incident https://nines.example/incidents/81`,
    })
  })

  test.each([
    [90, '2 min', 'This outage of 1 min 30 s used 3.5 % of the 30 d budget (1.5 of 43 min).'],
    [770, '13 min', 'This outage of 12 min 50 s used 30 % of the 30 d budget (12 of 43 min).'],
    [720, '12 min', 'This outage used 28 % of the 30 d budget (12 of 43 min).'],
    [40, '40 s', 'This outage used 1.5 % of the 30 d budget (0.6 of 43 min).'],
    [86_390, '1 d', 'This outage used the 30 d budget over 10 times.'],
  ])('of %p s says its seconds where "%s" would not fit the minutes used', (seconds, lasted, line) => {
    const recovered_at = new Date(Date.parse('2026-03-01T11:58:00.000Z') + seconds * 1000).toISOString()
    const cost = { percent: seconds / 25.92, bad_seconds: seconds, allowed_seconds: 2592 }
    const { subject, message } = textsOf({ ...over, recovered_at, cost }, { alert })
    expect(subject).toBe(`Checkout answers is up again after ${lasted}`)
    expect(message).toStartWith(`${line}\n`)
  })

  test.each<[Partial<IncidentData>, string]>([
    [
      { cost: { percent: 3.24, bad_seconds: 84, allowed_seconds: 2592 } },
      'This outage used 3.2 % of the 30 d budget (1.4 of 43 min).',
    ],
    [
      { cost: { percent: 30.05, bad_seconds: 779, allowed_seconds: 2592 } },
      'This outage used 30 % of the 30 d budget (12 of 43 min).',
    ],
    [
      { cost: { percent: 99.96, bad_seconds: 2591, allowed_seconds: 2592 } },
      'This outage used 99.9 % of the 30 d budget (42.9 of 43 min).',
    ],
    [
      { cost: { percent: 28.2, bad_seconds: null, allowed_seconds: null } },
      'This outage used 28 % of the 30 d budget.',
    ],
    [
      { cost: { percent: 320, bad_seconds: 9, allowed_seconds: 3 } },
      'This outage used the 30 d budget 3.2 times over.',
    ],
    [
      { cost: { percent: 5000, bad_seconds: 9, allowed_seconds: 3 } },
      'This outage used the 30 d budget over 10 times.',
    ],
    [{ cost: null }, 'From 2026-03-01 11:58 UTC to 2026-03-01 12:12 UTC.'],
  ])('with %j', (incident, line) => {
    expect(textsOf({ ...over, ...incident }, { alert }).message).toStartWith(`${line}\n`)
  })

  test.each([
    [0, '2026-03-01T12:12:59.000Z', 'At 2026-03-01 12:12 UTC.'],
    [
      2,
      '2026-03-01T12:12:59.000Z',
      'It failed 3 times since 2026-03-01 11:58 UTC, the last time at 2026-03-01 12:12 UTC.',
    ],
    [0, '2026-03-01T12:13:00.000Z', 'From 2026-03-01 12:12 UTC to 2026-03-01 12:13 UTC.'],
    [
      2,
      '2026-03-01T12:13:00.000Z',
      'It failed 3 times since 2026-03-01 11:58 UTC, the last time from 2026-03-01 12:12 UTC to 2026-03-01 12:13 UTC.',
    ],
  ])('after %d relapses, the last until %s, names a minute once', (relapses, recovered_at, line) => {
    const incident = { ...over, relapses, since: '2026-03-01T12:12:20.000Z', recovered_at, cost: null }
    expect(textsOf(incident, { alert }).message).toStartWith(`${line}\n`)
  })

  test('that was not seen to recover does not claim it', () => {
    const texts = textsOf({ ...over, is_up: false }, { alert })
    expect(texts.subject).toBe(
      'Checkout answers was burning its budget for 14 min, and is not known to be up: it is not evaluated now',
    )
  })
})

test('no incident text has a number twice', () => {
  const events = ['opened', 'rose', 'again', 'flapping', 'recovered'] as const
  for (const event of events) {
    const { subject, message } = textsOf({ event, is_up: true }, forecast(660))
    const text = `${subject}\n${message}`.replace(/https:\S+|\d{4}-\d\d-\d\d/g, '')
    const numbers: string[] = text.match(/\d[\d:.,]*\d/g) ?? []
    expect(numbers.filter((one, at) => !one.includes(':') && numbers.indexOf(one) !== at)).toEqual([])
  }
})

describe('the times of an incident, where the organization has a time zone', () => {
  const zurich: Zone = { timeZone: 'Europe/Zurich', clock: '24h' }
  const down = (began_at: string) => ({
    alert: someAlert({ name: 'down', burn_rate: null, began_at, outage: { reason: 'HTTP 503', is_up: false } }),
  })

  test('are in that zone, with UTC once', () => {
    const opened = textsOf({ since: '2026-07-01T04:46:10.000Z' }, { measured_at: '2026-07-01T04:50:00.000Z' }, zurich)
    expect(opened.subject).toStartWith('Checkout answers: burning 171× since 06:46 (04:46 UTC)')
    expect(opened.message).not.toContain('UTC')
    expect(textsOf({}, down('2026-07-01T04:46:10.000Z'), zurich).subject).toBe(
      'Checkout answers is down since 06:46:10 (04:46:10 UTC): HTTP 503',
    )
  })

  test('are of 12 hours where the organization has that clock', () => {
    const subject = 'Checkout answers is down since 6:46:10 AM (04:46:10 UTC): HTTP 503'
    expect(textsOf({}, down('2026-07-01T04:46:10.000Z'), { ...zurich, clock: '12h' }).subject).toBe(subject)
  })

  test.each([
    [
      'over the begin of daylight-saving time',
      ['2026-03-29T00:50', '2026-03-29T01:10'],
      'From 2026-03-29 01:50 (00:50 UTC) to 2026-03-29 03:10 (01:10 UTC).',
    ],
    [
      'over its end',
      ['2026-10-25T00:50', '2026-10-25T01:10'],
      'From 2026-10-25 02:50 (00:50 UTC) to 2026-10-25 02:10 (01:10 UTC).',
    ],
    [
      'on any other day',
      ['2026-10-26T00:50', '2026-10-26T01:10'],
      'From 2026-10-26 01:50 (00:50 UTC) to 2026-10-26 02:10.',
    ],
  ])('are right %s', (_, [since, recovered], span) => {
    const incident = { event: 'recovered', since: `${since}:00.000Z`, recovered_at: `${recovered}:00.000Z` } as const
    const { subject, message } = textsOf({ ...incident, is_up: true }, {}, zurich)
    expect(subject).toBe('Checkout answers is up again after 20 min')
    expect(message).toContain(span)
  })
})
