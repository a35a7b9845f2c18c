import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { peopleApp } from '../../support/reused-app.ts'
import { lastAudit, type People } from '../../support/people.ts'
import { dump } from '../../support/populated.ts'
import { checkout } from '../../support/slo-calls.ts'

const path = '/api/v1/notifications/rules'

let nines: TestApp
let who: People
beforeEach(async () => {
  ;({ nines, who } = await peopleApp())
  for (const [name, labels] of [
    ['Checkout', { env: 'prod' }],
    ['Search', { env: 'prod', tier: '1' }],
    ['Lab', {}],
  ] as const)
    await nines.call('POST', '/api/v1/slos', { ...checkout, name, labels })
  for (const name of ['on call', 'chat']) {
    const body = { name, channel_type: 'webhook', configuration: { webhook_url: 'http://127.0.0.1:9/hook' } }
    await nines.call('POST', '/api/v1/notifications/channels', body)
  }
})
afterEach(() => nines.close())

const good = { channel_id: 1, alert_type: 'violation', selector: { all: true } }
const post = (change: object = {}, as = who.member) => nines.call('POST', path, { ...good, ...change }, as)
const put = (at: string, body: object) => nines.call('PUT', `${path}${at}`, body, who.member)
const coverage = async () => (await nines.call('GET', `${path}/coverage`)).body

test('a rule with a selector is stored, read, listed, changed and deleted, without a message', async () => {
  const { status, body } = await post({ selector: { labels: { tier: '1', env: 'prod' } }, priority: 'high' })
  const stored = { id: 1, slo_id: null, selector: { labels: { env: 'prod', tier: '1' } }, priority: 'high' }
  expect([status, body]).toMatchObject([201, { message: 'Notification rule stored', data: { ...stored, rule_id: 1 } }])
  expect((await nines.call('GET', `${path}/1`)).body.data).toMatchObject(stored)
  expect((await nines.call('GET', path)).body).toMatchObject({ total: 1, data: [stored] })
  expect((await nines.call('GET', `${path}?channel_id=1&alert_type=violation`)).body).toMatchObject({
    total: 1,
    count: 1,
  })
  expect((await nines.call('GET', `${path}?slo_id=1`)).body).toMatchObject({ total: 0, data: [] })
  expect((await put('/1', { selector: { team_id: 1 } })).body.data).toMatchObject({
    ...stored,
    selector: { team_id: 1 },
  })
  expect(await lastAudit(nines)).toMatchObject({
    event: 'rule_changed',
    user_id: who.member.id,
    details: { rule_id: 1, slo_id: null, selector: { team_id: 1 }, changed: ['selector'] },
  })
  expect((await nines.call('DELETE', `${path}/1`, undefined, who.member)).status).toBe(200)
  expect(await lastAudit(nines)).toMatchObject({ event: 'rule_deleted', details: { selector: { team_id: 1 } } })
  expect((await nines.call('GET', '/api/v1/notifications/history')).body.total).toBe(0)
})

test('the same selector again, in whatever order, changes the rule there is', async () => {
  await post({ selector: { labels: { env: 'prod', tier: '1' } } })
  const { body } = await post({ selector: { labels: { tier: '1', env: 'prod' } }, enabled: false })
  expect(body.data).toMatchObject({ rule_id: 1 })
  await post({ selector: { labels: { env: 'prod' } } })
  expect((await nines.call('GET', path)).body.data).toMatchObject([{ id: 1, enabled: false }, { id: 2 }])
})

describe('refused, and without effect, is', () => {
  test.each([
    [{ slo_id: 1 }, 'selector: cannot be sent with slo_id'],
    [{ selector: null }, 'slo_id: is required: the SLO id, a whole number from 1, or a selector in its place'],
    [{ selector: {} }, 'selector: must be an object with exactly one of all, labels and team_id'],
    [{ selector: { all: true, labels: { a: 'b' } } }, 'selector: must be an object with exactly one of'],
    [{ selector: { labels: { 'a b': 'c' } } }, 'selector.labels: must be names of'],
    [{ selector: { team_id: -1 } }, 'selector.team_id: must be the team id'],
    [{ selector: 'all' }, 'selector: must be an object'],
    [{ notify: true }, 'notify: cannot be true with a selector'],
    [{ alert_type: 'manual', subject: 'a', message: 'b' }, 'selector: cannot be sent when no rule is stored'],
    [{ rule_id: 1 }, 'selector: cannot be sent when no rule is stored'],
    [{ alert_type: 'appliance_condition' }, 'selector: cannot be sent with the alert type appliance_condition'],
    [{ selector: { every: 1 }, message: '{{nothing}}' }, 'selector: must be an object'],
    [{ severity: 'page' }, 'severity: needs the alert type burn_rate_too_fast'],
  ])('%j', async (change, details) => {
    const before = dump(nines)
    const { status, body } = await post(change, who.admin)
    expect([status, body.details]).toEqual([400, expect.stringContaining(details)])
    expect(dump(nines)).toEqual(before)
  })

  test('a team that the organization does not have, though another has it', async () => {
    await nines.call('POST', '/api/v1/organization/teams', { name: 'Ours' }, who.stranger)
    for (const { status, body } of [
      await post({ selector: { team_id: 2 } }),
      await put('', { ...good, selector: { team_id: 2 } }),
      await put('/settings', { settings: [{ ...good, selector: { team_id: 2 } }] }),
    ]) {
      expect([status, body.problems[0].field, body.problems[0].message]).toEqual([
        400,
        expect.stringMatching(/selector\.team_id$/),
        'must be a team of your organization',
      ])
    }
    expect((await nines.call('GET', path)).body.total).toBe(0)
  })

  test('a viewer, and a channel of another organization', async () => {
    expect((await post({}, who.viewer)).status).toBe(403)
    expect((await post({ channel_id: 1 }, who.stranger)).body.error).toBe('Notification channel not found or disabled')
  })

  test('the selector of another rule, of a rule by slo_id, and none in place of one', async () => {
    await post()
    await post({ selector: { team_id: 1 } })
    await nines.call('POST', path, { channel_id: 1, alert_type: 'violation', slo_id: 1, notify: false })
    const before = dump(nines)
    const taken = await put('/2', { selector: { all: true } })
    expect([taken.status, taken.body.details]).toEqual([
      409,
      'selector: must differ from that of rule 1, got an object',
    ])
    expect((await put('/3', { selector: { all: true } })).body.details).toStartWith(
      'selector: cannot be sent: a rule by',
    )
    expect((await put('/1', { selector: null, enabled: true })).body.details).toBe(
      'selector: cannot be null: a rule with a selector keeps one, got null',
    )
    expect((await put('/1', { selector: { team_id: 7 } })).body.details).toBe(
      'selector.team_id: must be a team of your organization, got 7',
    )
    expect(dump(nines)).toEqual(before)
    expect((await put('/3', { selector: null, enabled: false })).status).toBe(200) // a rule as it was read
    expect((await put('/2', { selector: { team_id: 1 }, enabled: false })).status).toBe(200)
  })

  test('the 501st rule with a selector; those there are can still be changed', async () => {
    const rows = Array.from({ length: 499 }, (_, at) => ({ selector: { labels: { at: `${at}` } } }))
    const settings = rows.map((row) => ({ ...good, ...row }))
    for (let at = 0; at < 500; at += 100) await put('/settings', { settings: settings.slice(at, at + 100) })
    expect((await post()).status).toBe(201)
    const { status, body } = await post({ channel_id: 2 })
    expect([status, body.error]).toEqual([409, 'Too many notification rules with a selector'])
    expect((await put('', { ...good, channel_id: 2 })).status).toBe(409)
    expect((await post({ enabled: false })).status).toBe(201)
    expect((await nines.call('GET', path)).body.total).toBe(500)
  })
})

test('rules with selectors are rules of no SLO and of nothing else: members change them', async () => {
  await post()
  expect((await put('/1', { enabled: false })).status).toBe(200)
  await nines.call('DELETE', '/api/v1/slos/1')
  expect((await nines.call('GET', path)).body.total).toBe(1)
})

test('a rule with a selector is no rule for conditions of nines itself', async () => {
  await post({}, who.admin)
  const { body } = await nines.call('POST', path, { channel_id: 1, alert_type: 'appliance_condition', notify: false })
  expect(body.data).toMatchObject({ rule_id: 2, slo_id: null, selector: null })
})

test('the open alert of a rule with a selector is sent again for an SLO that it selects only', async () => {
  await post({ selector: { labels: { env: 'prod' } } })
  const again = (slo_id: number) =>
    nines.call('POST', path, { slo_id, channel_id: 1, alert_type: 'violation', rule_id: 1 }, who.member)
  expect((await again(1)).body.data).toMatchObject({ rule_id: 1, slo_id: 1, status: 'pending' })
  expect((await again(3)).body.details).toBe('rule_id: must be a rule of the same SLO, got 1')
})

describe('setting rules of many', () => {
  test('takes a selector in place of slo_ids', async () => {
    const settings = ['violation', 'burn_rate_too_fast'].map((alert_type) => ({ ...good, alert_type }))
    expect((await put('/settings', { settings })).body).toMatchObject({ stored: 2, deleted: 0 })
    expect((await put('', { ...good, priority: 'low' })).body).toMatchObject({ stored: 1, deleted: 0 })
    expect((await nines.call('GET', path)).body.data).toMatchObject([
      { id: 1, selector: { all: true }, priority: 'low' },
      { id: 2, selector: { all: true }, priority: 'auto' },
    ])
  })

  test('may delete the rules of SLOs that the selector makes needless', async () => {
    const { selector: _, ...other } = good
    await put('', { ...other, slo_ids: [1, 2] })
    expect((await put('', { ...good, remove_slo_ids: [1, 2] })).body).toMatchObject({ stored: 1, deleted: 2 })
    expect((await nines.call('GET', path)).body.data).toMatchObject([{ slo_id: null, selector: { all: true } }])
  })

  test.each([
    [{ slo_ids: [1] }, 'selector: cannot be sent with slo_ids, got an object'],
    [{ selector: undefined }, 'slo_ids: must name an SLO, unless remove_slo_ids or selector is sent'],
    [{ selector: { all: 1 } }, 'selector.all: must be true, got 1'],
  ])('refuses %j', async (change, details) => {
    expect((await put('', { ...good, ...change })).body.details).toBe(details)
    const { body } = await put('/settings', { settings: [good, { ...good, ...change }] })
    expect(body.details).toBe(`settings.1.${details}`)
    expect((await nines.call('GET', path)).body.total).toBe(0)
  })
})

describe('the coverage', () => {
  test('has the SLOs that notify by a selector or a default channel, those made later too', async () => {
    await post({ selector: { labels: { env: 'prod' } } })
    await nines.call('PUT', '/api/v1/notifications/channels/2', { is_default: true })
    const { selector: _, ...own } = good
    await put('', { ...own, channel_id: 2, slo_ids: [2] })
    await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'Later', labels: { env: 'prod' } })
    const { groups, uncovered } = await coverage()
    const brief = groups.map((one: Record<string, unknown>) => [
      one['channel_id'],
      one['alert_type'],
      one['by'],
      one['slo_ids'],
    ])
    expect(brief).toEqual([
      [1, 'violation', 'selector', [1, 2, 4]],
      [2, 'violation', 'rule', [2]],
      [2, 'violation', 'default', [1, 3, 4]],
      [2, 'burn_rate_too_fast', 'default', [1, 2, 3, 4]],
      [2, 'error_budget_exhausted', 'default', [1, 2, 3, 4]],
      [2, 'recovery', 'default', [1, 2, 3, 4]],
    ])
    expect(groups[2]).toMatchObject({ rule_ids: [], selector: null, priority: 'auto', subject: null, enabled: true })
    expect(groups[0]).toMatchObject({ rule_ids: [1], selector: { labels: { env: 'prod' } } })
    expect(uncovered).toEqual([])
  })

  test('has SLOs as uncovered that a disabled rule excludes', async () => {
    await post()
    const { selector: _, ...own } = good
    await put('', { ...own, slo_ids: [3], enabled: false })
    expect((await coverage()).uncovered).toEqual([3])
    await put('/1', { enabled: false })
    expect((await coverage()).uncovered.toSorted()).toEqual([1, 2, 3])
  })

  test('is a stream with long texts, default channels included', async () => {
    await nines.call('PUT', '/api/v1/notifications/channels/2', { is_default: true })
    const short = await coverage()
    for (let at = 0; at < 16; at += 1) {
      await post({ selector: { labels: { at: `${at}` } }, message: 'x'.repeat(19_000) })
    }
    const { headers, body } = await nines.call('GET', `${path}/coverage`)
    expect(headers.get('etag')).toBe(null)
    expect(body.groups).toHaveLength(20)
    expect(body.groups.filter(({ by }: { by: string }) => by === 'default')).toEqual(short.groups)
  })
})
