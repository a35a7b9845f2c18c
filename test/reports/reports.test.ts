import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ReportedSlo } from '../../src/reports/report.ts'
import type { TestApp } from '../support/app.ts'
import { callLater, madeReport, reportWorld } from './report-world.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await reportWorld()
})
afterEach(() => nines.close())

const reports = '/api/v1/reports'
const get = (path = '') => nines.call('GET', `${reports}${path}`)
const post = (body: object) => nines.call('POST', reports, body)
const audited = async () => {
  const rows = await nines.app.db.read.selectFrom('audit_log').select('event').orderBy('id').execute()
  return rows.map(({ event }) => event).filter((event) => event.startsWith('report'))
}

describe('a report', () => {
  test('has the figures of each SLO over the hours of the month, the missed one first', async () => {
    const { body } = await madeReport(nines)
    const { summary, slos } = body.data.report
    expect(summary).toMatchObject({ slo_count: 10, met: 9, missed: 1, unknown: 0, deploy_count: 3, change_count: 1 })
    const [first] = slos
    const total = 745 * 12_000
    expect(first).toMatchObject({
      name: 'Checkout answers',
      met: false,
      unit: 'events',
      bad: 12_600,
      total,
      coverage: 1,
    })
    expect(first.sli).toBeCloseTo(100 - (100 * 12_600) / total, 6)
    expect(first.budget_used_percent).toBeCloseTo((100 * 12_600) / (total / 1000), 6)
    expect(first.allowed).toBeCloseTo(total / 1000, 6)
    expect(first).toMatchObject({ incident_count: 1, alerts: { page: 1, ticket: 1, other: 0 }, resolution: '1m' })
    const up = slos.find(({ name }: ReportedSlo) => name === 'Shop page is up')
    expect(up).toMatchObject({ unit: 'seconds', bad: 1260, total: 745 * 3600 })
  })

  test('takes the frozen period of an SLO with the same month, and lists its weeks', async () => {
    const { body } = await madeReport(nines)
    const of = (name: string) => body.data.report.slos.find((slo: ReportedSlo) => slo.name === name)
    expect(of('Payments are accepted')).toMatchObject({ sli: 99.99, bad: 298, is_frozen_period: true })
    const weeks = of('Search within 500 ms').periods
    expect(weeks.map(({ met }: { met: boolean }) => met)).toEqual([true, true, false, true])
  })

  test('says of an incident what it cost, its cause, the deploy before it and its account', async () => {
    const { body } = await madeReport(nines)
    const { incidents, summary } = body.data.report
    expect(summary).toMatchObject({ incident_count: 4, incident_seconds: 5400 + 1260 + 6840 + 3000 })
    expect(incidents[0]).toMatchObject({
      slo_name: 'Checkout answers',
      duration_seconds: 5400,
      cause: 'route=/pay has 100 % of the failures with 32 % of the traffic',
      deploy: { title: 'deploy checkout v1.4.2', seconds_before: 600 },
      account: { by: 'ada', is_cut: false, url: 'https://wiki.example.com/incidents/1' },
    })
    expect(incidents[0].budget_percent).toBeCloseTo((100 * 11_700) / 8940, 6)
    expect(incidents.map(({ slo_id }: { slo_id: number }) => slo_id)).toEqual([1, 5, 3, 10])
  })

  test('says what a deploy cost beside the time before', async () => {
    const { body } = await madeReport(nines)
    const [, , first] = body.data.report.deploys
    expect(first).toMatchObject({ title: 'deploy checkout v1.4.2', costs: [{ slo_id: 1, before_percent: 0 }] })
    expect(first.costs[0].budget_percent).toBeGreaterThan(0)
  })

  test('names who changed which definition', async () => {
    const { body } = await madeReport(nines)
    const target = { field: 'target', before: '99.9', after: '99.5' }
    const description = { field: 'description', before: '', after: 'By mail' }
    expect(body.data.report.changes).toMatchObject([
      { slo_id: 4, event: 'changed', by: 'ada', fields: [description, target] },
    ])
  })

  test('stays as it was made, whatever happens afterwards', async () => {
    const { body: before } = await madeReport(nines)
    await nines.call('DELETE', '/api/v1/slos/1')
    await nines.app.db.write.deleteFrom('buckets').execute()
    nines.clock.advance(86_400_000)
    await nines.app.reports.run()
    expect((await callLater(nines, 'GET', `${reports}/1`)).body).toEqual(before)
  })

  test('has only the SLOs of its labels, their incidents and their deploys', async () => {
    const { body } = await madeReport(nines, { selector: { labels: { team: 'payments' } } })
    const { slos, incidents, deploys, scope } = body.data.report
    expect(slos.map(({ id }: ReportedSlo) => id).toSorted()).toEqual([1, 2, 4, 9])
    expect(incidents.map(({ slo_id }: { slo_id: number }) => slo_id)).toEqual([1])
    expect(deploys.map(({ title }: { title: string }) => title)).toEqual([
      'deploy checkout v1.4.1',
      'deploy checkout v1.4.2',
    ])
    expect(scope).toEqual({ kind: 'labels', text: 'team=payments' })
  })

  test('says of an SLO of which less than half was measured that nothing is known', async () => {
    await nines.app.db.write.deleteFrom('buckets').where('slo_id', '=', 9).where('good', '>', 0).execute()
    const { body } = await madeReport(nines)
    const slo = body.data.report.slos.find(({ id }: ReportedSlo) => id === 9)
    expect(slo).toMatchObject({ sli: null, met: null, budget_used_percent: null, coverage: 0 })
    expect(body.data.report.summary).toMatchObject({ unknown: 1, min_coverage: 0 })
  })

  test('leaves out what a correction excludes, and says its share and the SLI with it', async () => {
    const span = { from: '2026-10-11T08:00:00Z', to: '2026-10-11T10:00:00Z' }
    const correction = { slo_ids: [1], ...span, category: 'incident_elsewhere', text: 'The bank was down' }
    expect((await nines.call('POST', '/api/v1/corrections', correction)).status).toBe(201)
    const { body } = await madeReport(nines)
    const slo = body.data.report.slos.find(({ id }: ReportedSlo) => id === 1)
    expect(slo).toMatchObject({ met: true, bad: 900, total: 743 * 12_000, coverage: 1 })
    expect(slo.excluded).toMatchObject({ seconds: 7200, bad: 11_700, total: 24_000 })
    expect(slo.excluded.share).toBeCloseTo(2 / 745, 8)
    expect(slo.excluded.sli_without).toBeCloseTo(100 - (100 * 12_600) / (745 * 12_000), 6)
  })

  test('without SLOs has no rows', async () => {
    const { body } = await madeReport(nines, { selector: { labels: { team: 'nobody' } } })
    expect(body.data.report).toMatchObject({ summary: { slo_count: 0, min_coverage: null }, slos: [], incidents: [] })
  })
})

describe('a request for a report', () => {
  test('of the running period, of a future one and of nonsense is refused, and stores nothing', async () => {
    const refused = [
      [{ interval: 'month', day: '2026-11-02' }, 'day: must be in a month that has ended'],
      [{ interval: 'month', day: '2026-02-30' }, 'day: must be a date such as 2026-10-01'],
      [{ interval: 'month', day: '2020-02-03' }, 'day: must be at most 400 days ago'],
      [{ interval: 'month', selector: { team_id: 9 } }, 'selector.team_id: must be a team of your organization'],
      [{ interval: 'month', time_zone: 'Mars/Base' }, 'time_zone: must be an IANA time zone such as Europe/Zurich'],
    ] as const
    for (const [body, details] of refused) {
      const answer = await post(body)
      expect([answer.status, rulesOf(answer.body)]).toEqual([400, details])
    }
    expect((await get()).body.total).toBe(0)
    expect(await audited()).toEqual([])
  })

  test('is answered at once, and the report is made half an hour after the end of its period', async () => {
    nines.clock.jump(-50 * 60_000)
    const { status, body } = await post({ interval: 'month', time_zone: 'Europe/Zurich' })
    expect([status, body.data.status, body.data.title]).toEqual([201, 'pending', 'October 2026'])
    await nines.app.reports.run()
    expect((await get('/1')).body.data).toMatchObject({ status: 'pending', report: null })
    expect((await get('/1?format=html')).status).toBe(409)
    nines.clock.jump(20 * 60_000)
    await nines.app.reports.run()
    expect((await get('/1')).body.data).toMatchObject({ status: 'ready', slo_count: 10, met_count: 9, missed_count: 1 })
  })

  test('and a deletion are in the audit log', async () => {
    await madeReport(nines)
    await nines.call('DELETE', `${reports}/1`)
    expect(await audited()).toEqual(['report_requested', 'report_deleted'])
    expect((await get('/1')).status).toBe(404)
  })
})

test('a report that cannot be made is tried five times, and then says that it failed', async () => {
  await nines.app.db.write.updateTable('incidents').set({ cause: 'no JSON' }).execute()
  await post({ interval: 'month', time_zone: 'Europe/Zurich' })
  for (let n = 0; n < 6; n += 1) await nines.app.reports.run()
  expect((await get('/1')).body.data).toMatchObject({ status: 'failed', report: null })
})

test('files are attachments with a policy of their own, and have a name', async () => {
  await madeReport(nines, { name: 'Ünsere "Monats"-Zahlen' })
  const html = await get('/1?format=html')
  expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(html.headers.get('content-disposition')).toBe('attachment; filename="nsere-monats-zahlen-2026-10.html"')
  expect(html.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
  const csv = await get('/1?format=csv&table=incidents')
  expect(csv.headers.get('content-disposition')).toEndWith('-2026-10.incidents.csv"')
  expect(csv.text.split('\r\n')).toHaveLength(1 + 4 + 1)
})
