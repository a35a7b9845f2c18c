import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { countSql } from '../../guard/count-sql.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp, peopleApp } from '../../support/reused-app.ts'
import { lastAudit, type People } from '../../support/people.ts'
import { dump } from '../../support/populated.ts'
import { checkout } from '../../support/slo-calls.ts'
import { rulesOf } from '../../support/rules-of.ts'

const path = '/api/v1/notifications/rules'

let nines: TestApp
let who: People
beforeEach(async () => {
  ;({ nines, who } = await peopleApp())
  for (const name of ['Checkout', 'Search', 'Payments']) await nines.call('POST', '/api/v1/slos', { ...checkout, name })
  for (const name of ['on call', 'chat']) {
    const body = { name, channel_type: 'webhook', configuration: { webhook_url: 'http://127.0.0.1:9/hook' } }
    await nines.call('POST', '/api/v1/notifications/channels', body)
  }
})
afterEach(() => nines.close())

const good = { channel_id: 1, alert_type: 'burn_rate_too_fast', slo_ids: [1, 2] }
const set = (change: object = {}) => nines.call('PUT', path, { ...good, ...change }, who.member)
const coverage = async () => (await nines.call('GET', `${path}/coverage`, undefined, who.viewer)).body
const rules = async () => (await nines.call('GET', path)).body.data

describe('setting rules', () => {
  test('makes one for each SLO, changes those there are and deletes those of others, without a message', async () => {
    const fields = { severity: 'page', priority: 'critical', min_interval_seconds: 900 }
    expect((await set(fields)).body).toEqual({
      success: true,
      message: 'Notification rules stored',
      stored: 2,
      deleted: 0,
    })
    expect(await rules()).toMatchObject([
      { id: 1, slo_id: 1, ...fields, max_retries: 12 },
      { id: 2, slo_id: 2, ...fields, max_retries: 12 },
    ])
    const { body } = await set({ slo_ids: [2, 3, 3], remove_slo_ids: [1], priority: 'low' })
    expect(body).toMatchObject({ stored: 2, deleted: 1 })
    expect(await rules()).toMatchObject([
      { id: 2, slo_id: 2, severity: 'page', priority: 'low', min_interval_seconds: 900 },
      { id: 3, slo_id: 3, severity: null, priority: 'low', min_interval_seconds: 0 },
    ])
    expect((await nines.call('GET', '/api/v1/notifications/history')).body.total).toBe(0)
    expect(await lastAudit(nines)).toMatchObject({
      event: 'rule_deleted',
      user_id: who.member.id,
      details: { rule_id: 1, slo_id: 1, channel_id: 1 },
    })
  })

  test.each([
    [
      'no SLO',
      { slo_ids: [] },
      'slo_ids: must name an SLO, unless remove_slo_ids or selector is sent, got an empty list',
    ],
    ['an SLO on both lists', { remove_slo_ids: [2] }, 'remove_slo_ids: must not repeat ids of slo_ids'],
    ['a severity of another kind', { alert_type: 'warning', severity: 'page' }, 'severity: needs the alert type burn'],
    ['a kind that is no alert of an SLO', { alert_type: 'manual' }, 'alert_type: must be one of violation, warning'],
    [
      'too many SLOs',
      { slo_ids: Array.from({ length: 2001 }, (_, n) => n + 1) },
      'slo_ids: must be at most 2000 SLO ids',
    ],
    [
      'texts that are too long for so many SLOs',
      { slo_ids: Array.from({ length: 2000 }, (_, n) => n + 1), subject: 'x'.repeat(97), message: 'x'.repeat(2001) },
      'message: must be at most 2000 characters for 2000 SLOs at once; send fewer of them, or a shorter text',
    ],
    ['an unknown placeholder', { subject: '{{nothing}}' }, 'subject: '],
  ])('with %s is refused, and stores nothing', async (_, change, details) => {
    const before = dump(nines)
    const { status, body } = await set(change)
    expect([status, body.details]).toEqual([400, expect.stringContaining(details)])
    expect(dump(nines)).toEqual(before)
  })

  test('for an SLO that is deleted stores none of the rules', async () => {
    await nines.call('DELETE', '/api/v1/slos/2')
    const before = dump(nines)
    expect((await set()).status).toBe(404)
    expect(dump(nines)).toEqual(before)
  })

  test('for hundreds of SLOs takes statements by the hundred, and records each rule', async () => {
    const ids = [1, 2, 3]
    for (let at = 4; at <= 130; at += 1)
      ids.push((await nines.call('POST', '/api/v1/slos', { ...checkout, name: `SLO ${at}` })).body.id)
    await set({ slo_ids: [2], subject: 'before', message: 'kept' })
    const sql = countSql()
    const { statements } = await sql.of(nines.dataDir, async () => {
      const { body } = await set({ slo_ids: ids, subject: 'after', priority: 'high' })
      expect(body).toMatchObject({ stored: 130 })
    })
    sql.close()
    expect(statements).toBeLessThan(130 + 20)
    const { body } = await nines.call('GET', `${path}?page_size=100`)
    expect(body.total).toBe(130)
    expect(body.data[0]).toMatchObject({ slo_id: 2, subject: 'after', message: 'kept', priority: 'high' })
    expect(body.data[1]).toMatchObject({ slo_id: 1, subject: 'after', message: null, max_retries: 12 })
    const audit = await nines.call('GET', '/api/v1/audit-log?page_size=100&event=rule_created')
    expect(audit.body.total).toBe(130) // including the one created before
    const changed = await nines.call('GET', '/api/v1/audit-log?event=rule_changed')
    expect(changed.body.entries.map(({ details }: { details: object }) => details)).toEqual([
      { rule_id: 1, slo_id: 2, channel_id: 1, alert_type: 'burn_rate_too_fast', changed: ['priority', 'subject'] },
    ])
  })

  test('above the quota stores none of them', async () => {
    const small = await joinedApp({ env: { QUOTA_RULES: '1' } })
    for (const name of ['Checkout', 'Search']) await small.call('POST', '/api/v1/slos', { ...checkout, name })
    await small.call('POST', '/api/v1/notifications/channels', {
      name: 'on call',
      channel_type: 'webhook',
      configuration: { webhook_url: 'http://127.0.0.1:9/hook' },
    })
    const { status, body } = await small.call('PUT', path, good)
    expect([status, body.error]).toEqual([409, 'Quota exceeded'])
    expect((await small.call('GET', path)).body.total).toBe(0)
    await small.close()
  })
})

describe('setting rules of several kinds and channels', () => {
  const setMany = (...settings: object[]) => nines.call('PUT', `${path}/settings`, { settings }, who.member)

  test('makes, changes and deletes those of all', async () => {
    await set()
    const { body } = await setMany(
      { ...good, slo_ids: [2, 3], remove_slo_ids: [1], severity: 'page' },
      { channel_id: 2, alert_type: 'warning', slo_ids: [1] },
    )
    expect(body).toMatchObject({ stored: 3, deleted: 1 })
    expect(await rules()).toMatchObject([
      { slo_id: 2, channel_id: 1, severity: 'page' },
      { slo_id: 3, channel_id: 1, severity: 'page' },
      { slo_id: 1, channel_id: 2, alert_type: 'warning' },
    ])
  })

  test.each([
    [
      'a setting that is wrong',
      { ...good, alert_type: 'warning', severity: 'page' },
      400,
      'settings.1.severity: needs the alert type burn_rate_too_fast, got "page"',
    ],
    ['a setting of an unknown kind', { ...good, alert_type: 'manual' }, 400, 'settings.1.alert_type: must be one of'],
    ['an SLO that is missing', { ...good, alert_type: 'warning', slo_ids: [1, 99] }, 404, undefined],
    ['a channel that is missing', { ...good, channel_id: 99 }, 404, undefined],
    [
      'too much text in all',
      { ...good, slo_ids: Array.from({ length: 2000 }, (_, n) => n + 1), message: 'x'.repeat(2097) },
      400,
      'settings: must have at most 4194304 characters of texts for all SLOs; got 4195000',
    ],
  ])('with %s stores none of them', async (_, wrong, status, details) => {
    const before = dump(nines)
    const answer = await setMany({ ...good, message: 'x'.repeat(500) }, wrong)
    expect([answer.status, answer.body.details]).toEqual([status, details && expect.stringContaining(details)])
    expect(dump(nines)).toEqual(before)
  })

  test('is bounded in all', async () => {
    const setting = { ...good, slo_ids: Array.from({ length: 2000 }, (_, n) => n + 1) }
    const { status, body } = await setMany(...Array.from({ length: 7 }, () => setting))
    expect([status, rulesOf(body)]).toEqual([400, 'settings: must have at most 12000 SLO ids in all; got 14000'])
  })
})

describe('the coverage', () => {
  test('has rules that are alike as one group, and the SLOs that notify nobody', async () => {
    await set()
    await set({ slo_ids: [3], priority: 'critical' })
    await set({ channel_id: 2, slo_ids: [3], alert_type: 'recovery' })
    await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'Archive' })
    const { slos, groups, uncovered } = await coverage()
    expect(slos.map(({ name }: { name: string }) => name)).toEqual(['Archive', 'Checkout', 'Payments', 'Search'])
    expect(groups).toMatchObject([
      { channel_id: 1, channel_name: 'on call', alert_type: 'burn_rate_too_fast', priority: 'auto', slo_ids: [1, 2] },
      { channel_id: 1, priority: 'critical', slo_ids: [3], rule_ids: [3] },
      { channel_id: 2, alert_type: 'recovery', slo_ids: [3] },
    ])
    expect(uncovered).toEqual([4])
  })

  test('is a stream where the texts are long, and has them whole', async () => {
    const texts = (at: number) => ({ subject: `about ${at}`, message: `${at}`.padEnd(19_000, 'x') })
    await set({ slo_ids: [1], ...texts(1) })
    const short = await coverage()
    const kinds = ['warning', 'violation', 'recovery', 'error_budget_low', 'error_budget_exhausted']
    for (const [at, alert_type] of kinds.entries()) {
      for (const slo of [1, 2, 3]) await set({ alert_type, slo_ids: [slo], ...texts(10 * at + slo + 1) })
    }
    const { headers, body } = await nines.call('GET', `${path}/coverage`, undefined, who.viewer)
    expect([headers.get('etag'), body.groups.length, body.uncovered]).toEqual([null, 16, []])
    expect(body.groups[0]).toEqual(short.groups[0])
    expect(body.groups[0].message).toHaveLength(19_000)
    expect({ slos: body.slos, keys: Object.keys(body.groups[15]).toSorted() }).toEqual({
      slos: short.slos,
      keys: Object.keys(short.groups[0]).toSorted(),
    })
  })

  test('counts no rule that is off, of a channel that is off, or of recoveries alone', async () => {
    await set({ slo_ids: [1], enabled: false })
    await set({ slo_ids: [2], alert_type: 'recovery' })
    await set({ channel_id: 2, slo_ids: [3] })
    expect((await coverage()).uncovered.toSorted()).toEqual([1, 2])
    await nines.call('PUT', '/api/v1/notifications/channels/2', { enabled: false })
    expect((await coverage()).uncovered.toSorted()).toEqual([1, 2, 3])
  })

  test('leaves deleted SLOs out, and has rules of nines itself as a group of no SLO', async () => {
    await set()
    await nines.call('DELETE', '/api/v1/slos/2')
    const rule = { channel_id: 1, alert_type: 'appliance_condition', notify: false }
    expect((await nines.call('POST', path, rule)).status).toBe(201)
    const { slos, groups } = await coverage()
    expect(slos).toHaveLength(2)
    expect(groups.map(({ slo_ids }: { slo_ids: number[] }) => slo_ids)).toEqual([[1], []])
  })
})
