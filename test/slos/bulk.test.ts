import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../support/app.ts'
import { joinedApp, peopleApp } from '../support/reused-app.ts'
import type { People } from '../support/people.ts'
import { checkout } from '../support/slo-calls.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
let who: People
beforeAll(async () => {
  ;({ nines, who } = await peopleApp())
  const configuration = { webhook_url: 'http://127.0.0.1:9/hook' }
  for (const name of ['hook', 'other']) {
    await nines.call('POST', '/api/v1/notifications/channels', { name, channel_type: 'webhook', configuration })
  }
})
afterAll(() => nines.close())

let ids: number[]
let theirs: number
/** Labels of the three SLOs of a test. */
let label: string
beforeEach(async () => {
  label = crypto.randomUUID()
  ids = []
  for (const name of ['one', 'two', 'three']) {
    const { body } = await nines.call('POST', '/api/v1/slos', { ...checkout, name, labels: { test: label } })
    ids.push(body.id)
  }
  theirs = (await nines.call('POST', '/api/v1/slos', { ...checkout, labels: { test: label } }, who.stranger)).body.id
})

const bulk = (body: unknown, as: keyof People = 'member') => nines.call('POST', '/api/v1/slos/bulk', body, who[as])
const read = async (id: number) => (await nines.call('GET', `/api/v1/slos/${id}`)).body
const short = ({ body }: Answer) =>
  body.results.map(({ id, result, error }: { id: number; result: string; error: { code: string } | null }) => [
    ids.indexOf(id),
    error?.code ?? result,
  ])
const audited = async (event: string): Promise<number[]> => {
  const { body } = await nines.call('GET', `/api/v1/audit-log?event=${event}&page_size=100`)
  return body.entries
    .map(({ details }: { details: { slo_id: number } }) => ids.indexOf(details.slo_id))
    .filter((at: number) => at >= 0)
    .toSorted()
}

describe('each SLO of a request has a result, and an audit entry if it is changed:', () => {
  test.each([
    ['pause', { action: 'pause' }, 'slo_paused', { paused: true }],
    ['set_target', { action: 'set_target', target: 95 }, 'slo_changed', { target: 95 }],
    ['delete', { action: 'delete' }, 'slo_deleted', { active: false }],
  ])('%s', async (_, request, event, expected) => {
    const [first = 0, second = 0, third = 0] = ids
    expect((await bulk({ ...request, ids: [first] })).body).toMatchObject({ changed: 1, unchanged: 0, failed: 0 })
    const answer = await bulk({ ...request, ids: [first, second, theirs, 999_999, second, third] })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ changed: 2, unchanged: 1, failed: 2 })
    expect(short(answer)).toEqual([
      [0, 'unchanged'],
      [1, 'changed'],
      [-1, 'not_found'],
      [-1, 'not_found'],
      [2, 'changed'],
    ])
    const [, , stranger, absent] = answer.body.results
    expect(stranger.error).toEqual({ code: 'not_found', message: 'SLO not found', details: null })
    expect(absent.error).toEqual(stranger.error)
    for (const id of ids) expect(await read(id)).toMatchObject(expected)
    expect(await audited(event)).toEqual([0, 1, 2])
    const others = await nines.call('GET', `/api/v1/slos/${theirs}`, undefined, who.stranger)
    expect(others.body).toMatchObject({ active: true, paused: false, target: checkout.target })
  })

  test('resume', async () => {
    await bulk({ action: 'pause', ids: ids.slice(1) })
    expect(short(await bulk({ action: 'resume', ids }))).toEqual([
      [0, 'unchanged'],
      [1, 'changed'],
      [2, 'changed'],
    ])
    expect(await audited('slo_resumed')).toEqual([1, 2])
  })

  test('restore', async () => {
    await bulk({ action: 'delete', ids: ids.slice(1) })
    expect(short(await bulk({ action: 'restore', ids }))).toEqual([
      [0, 'unchanged'],
      [1, 'changed'],
      [2, 'changed'],
    ])
    expect(await audited('slo_restored')).toEqual([1, 2])
  })

  test('add_rules', async () => {
    const rule = { channel_id: 1, alert_type: 'burn_rate_too_fast', severity: 'page', priority: 'high' }
    expect((await bulk({ action: 'add_rules', ids: ids.slice(0, 1), rule })).body).toMatchObject({ changed: 1 })
    await bulk({ action: 'delete', ids: ids.slice(2) })
    const before = (await nines.call('GET', '/api/v1/notifications/history')).body.total
    expect(short(await bulk({ action: 'add_rules', ids: [...ids, theirs], rule }))).toEqual([
      [0, 'unchanged'],
      [1, 'changed'],
      [2, 'not_found'],
      [-1, 'not_found'],
    ])
    const { body } = await nines.call('GET', `/api/v1/notifications/rules?slo_id=${ids[1]}`)
    expect(body.data).toMatchObject([{ ...rule, slo_id: ids[1] }])
    expect(await audited('rule_created')).toEqual([0, 1])
    expect((await nines.call('GET', '/api/v1/notifications/history')).body.total).toBe(before)
  })
})

test('a deleted SLO is not found, except by delete, which leaves it as it is', async () => {
  await bulk({ action: 'delete', ids })
  for (const request of [{ action: 'pause' }, { action: 'resume' }, { action: 'set_target', target: 90 }]) {
    expect((await bulk({ ...request, ids })).body).toMatchObject({ changed: 0, unchanged: 0, failed: 3 })
  }
  expect((await bulk({ action: 'delete', ids })).body).toMatchObject({ changed: 0, unchanged: 3, failed: 0 })
})

test('a filter selects the active SLOs of the organization that fit all of its conditions', async () => {
  await bulk({ action: 'delete', ids: ids.slice(2) })
  const filter = { labels: { test: label }, team_id: 1, search: 'O' }
  expect(short(await bulk({ action: 'pause', filter }))).toEqual([
    [1, 'changed'],
    [0, 'changed'],
  ])
  expect(short(await bulk({ action: 'resume', filter: { ...filter, search: 'two' } }))).toEqual([[1, 'changed']])
  const none = await bulk({ action: 'delete', filter: { ...filter, search: 'no such' } })
  expect(none.body).toEqual({ results: [], changed: 0, unchanged: 0, failed: 0 })
})

describe('a request that is wrong as a whole changes nothing:', () => {
  const rule = { channel_id: 1, alert_type: 'warning' }
  test.each([
    [{}, 'action'],
    [{ action: 'explode', ids: [1] }, 'action'],
    [{ action: 'pause' }, 'ids'],
    [{ action: 'pause', ids: [] }, 'ids'],
    [{ action: 'pause', ids: null }, 'ids'],
    [{ action: 'pause', ids: 1 }, 'ids'],
    [{ action: 'pause', ids: { length: 1e9 } }, 'ids'],
    [{ action: 'pause', ids: ['1'] }, 'ids.0'],
    [{ action: 'pause', ids: [1.5] }, 'ids.0'],
    [{ action: 'pause', ids: [-1] }, 'ids.0'],
    [{ action: 'pause', ids: Array.from({ length: 501 }, (_, at) => at + 1) }, 'ids'],
    [{ action: 'pause', ids: [1], filter: { team_id: 1 } }, 'filter'],
    [{ action: 'pause', filter: {} }, 'filter.labels'],
    [{ action: 'pause', filter: { team_id: 999 } }, 'filter.team_id'],
    [{ action: 'pause', filter: null }, 'filter.body'],
    [{ action: 'pause', filter: 'all' }, 'filter.body'],
    [{ action: 'pause', filter: { labels: {} } }, 'filter.labels'],
    [{ action: 'pause', filter: { labels: [] } }, 'filter.labels'],
    [{ action: 'pause', filter: { labels: { team: 1 } } }, 'filter.labels.team'],
    [{ action: 'pause', filter: { search: '' } }, 'filter.search'],
    [{ action: 'delete', filter: { team_id: 1, lables: { team: 'a' } } }, 'filter.lables'],
    [{ action: 'set_target', ids: [1] }, 'target'],
    [{ action: 'set_target', ids: [1], target: 0 }, 'target'],
    [{ action: 'set_target', ids: [1], target: 101 }, 'target'],
    [{ action: 'set_target', ids: [1], target: '99' }, 'target'],
    [{ action: 'pause', ids: [1], target: 99 }, 'target'],
    [{ action: 'pause', ids: [1], rule }, 'rule'],
    [{ action: 'add_rules', ids: [1] }, 'rule'],
    [{ action: 'add_rules', ids: [1], rule: null }, 'rule.body'],
    [{ action: 'add_rules', ids: [1], rule: { ...rule, alert_type: 'manual' } }, 'rule.alert_type'],
    [{ action: 'add_rules', ids: [1], rule: { ...rule, message: '{{nothing}}' } }, 'rule.message'],
    [{ action: 'add_rules', ids: [1], rule: { ...rule, slo_ids: [2] } }, 'rule.slo_ids'],
    [{ action: 'add_rules', ids: [1], rule: { ...rule, organization_id: 2 } }, 'rule.organization_id'],
    [{ action: 'add_rules', ids: [1], rule: { ...rule, severity: 'page' } }, 'rule.severity'],
  ])('%j', async (request, field) => {
    const answer = await bulk(request)
    expect([answer.status, answer.body.problems?.map((one: { field: string }) => one.field)]).toEqual([400, [field]])
    for (const id of ids) expect(await read(id)).toMatchObject({ active: true, paused: false, target: 99.9 })
  })

  test('no ids, with how many there may be', async () => {
    expect(rulesOf((await bulk({ action: 'pause', ids: [] })).body)).toBe(
      'ids: must be 1 to 500 entries, the ids of SLOs',
    )
  })

  test('a channel of nobody', async () => {
    const answer = await bulk({ action: 'add_rules', ids, rule: { ...rule, channel_id: 999 } })
    expect([answer.status, answer.body.error]).toEqual([404, 'Notification channel not found'])
  })

  test('a viewer, and somebody without a token', async () => {
    expect((await bulk({ action: 'delete', ids }, 'viewer')).status).toBe(403)
    expect((await nines.call('POST', '/api/v1/slos/bulk', { action: 'delete', ids }, { token: null })).status).toBe(401)
    for (const id of ids) expect(await read(id)).toMatchObject({ active: true })
  })
})

test('a filter that selects more than 500 SLOs is refused', async () => {
  const big = await joinedApp()
  const { body: slo } = await big.call('POST', '/api/v1/slos', { ...checkout, labels: { test: 'many' } })
  const row = await big.app.db.read.selectFrom('slos').selectAll().where('id', '=', slo.id).executeTakeFirstOrThrow()
  const { id: _, ...columns } = row
  await big.app.db.write.transaction().execute(async (trx) => {
    for (let at = 0; at < 500; at += 1) await trx.insertInto('slos').values(columns).execute()
  })
  const answer = await big.call('POST', '/api/v1/slos/bulk', { action: 'delete', filter: { labels: { test: 'many' } } })
  expect(answer.status).toBe(400)
  expect(answer.body.problems).toMatchObject([{ code: 'too_many', params: { max_items: 500 } }])
  expect((await big.call('GET', '/api/v1/slos')).body.total).toBe(501)
  await big.close()
})
