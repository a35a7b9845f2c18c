import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { oauthWorld } from '../support/oauth.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { invited } from '../support/people.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const slo = { name: 'Checkout', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'secret_up' }
const channel = { name: 'hook', channel_type: 'webhook', configuration: { webhook_url: 'http://127.0.0.1:1/secret' } }
const rule = { slo_id: 1, channel_id: 1, alert_type: 'violation', notify: false, subject: 'secret' }
const query = { slo_id: 1, query_name: 'up', source_query: 'secret_up', query_type: 'custom' }

async function make(path: string, body: object) {
  const answer = await nines.call('POST', path, body)
  expect([answer.status, path]).toEqual([201, path])
}

async function entries(filter = '') {
  return (await nines.call('GET', `/api/v1/audit-log?page_size=100${filter}`)).body.entries
}

/** Creates the things that the requests of the cases change. */
beforeEach(async () => {
  await make('/api/v1/slos', slo)
  await make('/api/v1/notifications/channels', channel)
  await make('/api/v1/notifications/rules', rule)
  await make('/api/v1/tsdb/queries', query)
})

const ofSlo = { slo_id: 1, name: 'Checkout' }
const ofRule = { rule_id: 1, slo_id: 1, channel_id: 1, alert_type: 'violation' }
const ofQuery = { query_id: 1, slo_id: 1, query_name: 'up' }
const tiers = [{ long_window: '1h', short_window: '5m', factor: 14.4, severity: 'page' }]
const [slos, rules, queries] = ['/api/v1/slos/1', '/api/v1/notifications/rules/1', '/api/v1/tsdb/queries/1']

describe('the audit log has', () => {
  test('the making of an SLO, a rule and a stored query, with who made it, and no expression or template', async () => {
    const made = await entries()
    const of = (event: string) => made.find((entry: { event: string }) => entry.event === event)
    expect(of('slo_created')).toMatchObject({ user_id: 1, email: 'ada@example.com', details: ofSlo })
    expect(of('rule_created')).toMatchObject({ user_id: 1, details: ofRule })
    expect(of('source_query_created')).toMatchObject({ user_id: 1, details: ofQuery })
    expect(JSON.stringify(made)).not.toContain('secret')
  })

  test.each([
    [
      'PUT',
      slos,
      { target: 98, name: 'Checkout', metric_query: 'b' },
      'slo_changed',
      { ...ofSlo, changed: ['metric_query', 'target'] },
    ],
    ['PUT', `${slos}/alerting`, { burn_rate_tiers: tiers }, 'slo_changed', { ...ofSlo, changed: ['burn_rate_tiers'] }],
    ['DELETE', slos, undefined, 'slo_deleted', ofSlo],
    ['PUT', slos, { active: false }, 'slo_deleted', { ...ofSlo, changed: ['active'] }],
    ['PUT', rules, { enabled: false, subject: 'x' }, 'rule_changed', { ...ofRule, changed: ['enabled', 'subject'] }],
    [
      'POST',
      '/api/v1/notifications/rules',
      { ...rule, priority: 'low' },
      'rule_changed',
      { ...ofRule, changed: ['priority'] },
    ],
    ['DELETE', rules, undefined, 'rule_deleted', ofRule],
    ['PUT', queries, { source_query: 'b' }, 'source_query_changed', { ...ofQuery, changed: ['source_query'] }],
    ['DELETE', queries, undefined, 'source_query_deleted', ofQuery],
    [
      'PUT',
      '/api/v1/cache/config',
      { max_entries: 5, enable_warmup: false },
      'cache_config_changed',
      { changed: ['max_entries'] },
    ],
  ])('%s %s %j', async (method, path, body, event, details) => {
    const before = await entries()
    expect((await nines.call(method, path, body)).status).toBeLessThan(300)
    const [entry, ...others] = await entries()
    expect(entry).toMatchObject({ event, outcome: 'success', user_id: 1, email: 'ada@example.com' })
    expect(entry.details).toEqual(details)
    expect(others).toEqual(before)
  })

  test('an SLO that is restored', async () => {
    await nines.call('DELETE', slos)
    await nines.call('PUT', slos, { active: true })
    expect((await entries())[0]).toMatchObject({ event: 'slo_restored', details: { ...ofSlo, changed: ['active'] } })
  })
})

test.each([
  ['PUT', slos, { target: 99 }],
  ['PUT', slos, { target: 101 }],
  ['PUT', `${slos}/alerting`, { budget_thresholds: null }],
  ['PUT', rules, { subject: 'secret' }],
  ['PUT', rules, { subject: '{{nobody}}' }],
  ['POST', '/api/v1/notifications/rules', rule],
  ['PUT', queries, { source_query: 'secret_up' }],
  ['PUT', '/api/v1/cache/config', { max_entries: 10_000 }],
  ['PUT', '/api/v1/cache/config', { max_entries: -1 }],
])('what changes nothing is no entry: %s %s %j', async (method, path, body) => {
  const before = await entries()
  await nines.call(method, path, body)
  expect(await entries()).toEqual(before)
})

test('an entry names the session or the API token that acted', async () => {
  const { body } = await nines.call('POST', '/api/v1/auth/tokens', { name: 'ci', role: 'member' })
  await nines.call('PUT', slos, { target: 98 })
  await nines.call('PUT', slos, { target: 97 }, { token: body.token })
  const [byToken, bySession] = await entries('&event=slo_changed')
  expect([byToken.credential, bySession.credential]).toEqual([
    { type: 'api_token', id: 1, name: 'ci' },
    { type: 'session', id: 1 },
  ])
  const [, csv = ''] = (await nines.call('GET', '/api/v1/audit-log?format=csv&event=slo_changed')).text.split('\r\n')
  expect(csv).toEndWith('"{""type"":""api_token"",""id"":1,""name"":""ci""}"')
})

test('an entry names the application that acted', async () => {
  const world = await oauthWorld()
  await invited(world, world.ada, 'bob', 'member')
  const client = await world.client()
  const { access_token: token } = (await world.redeem(client, await world.consent(client, {}, 'bob'))).body
  expect((await world.call('POST', '/api/v1/slos', slo, { token })).status).toBe(201)
  const { body } = await world.call('GET', '/api/v1/audit-log?event=slo_created')
  expect(body.entries).toMatchObject([
    { email: 'bob@example.com', credential: { type: 'oauth_client', id: client.client_id } },
  ])
  await world.close()
})
