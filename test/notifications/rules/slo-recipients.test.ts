import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { checkout } from '../../support/slo-calls.ts'
import { type Alerting, alerting } from '../alerts/alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const get = (path: string, options?: object) => world.nines.call('GET', `/api/v1/slos${path}`, undefined, options)
type Cause = {
  alert_type: string
  severity: string | null
  recipients: { channel_id: number; by: string; rule_id: number | null; priority: string | null }[]
}
const inWords = (causes: Cause[]) =>
  Object.fromEntries(
    causes.map(({ alert_type, severity, recipients }) => [
      `${alert_type} ${severity}`,
      recipients.map(({ channel_id, by, rule_id, priority }) => `${channel_id} ${by} ${rule_id} ${priority}`),
    ]),
  )
const recipients = async (path: string) => inWords((await get(path)).body.causes)

const nobody = {
  'down critical': [],
  'burn_rate_too_fast page': [],
  'burn_rate_too_fast ticket': [],
  'error_budget_exhausted critical': [],
  'error_budget_low warning': [],
  'violation critical': [],
  'warning warning': [],
  'recovery null': [],
}
const standard = {
  ...nobody,
  'down critical': ['1 default null critical'],
  'burn_rate_too_fast page': ['1 default null critical'],
  'burn_rate_too_fast ticket': ['1 default null medium'],
  'error_budget_exhausted critical': ['1 default null high'],
  'recovery null': ['1 default null null'],
}

describe('the recipients of an SLO', () => {
  test('are nobody where there is no rule, as empty lists', async () => {
    expect((await get('/1/recipients')).body).toMatchObject({ slo_id: 1, channels: [] })
    expect(await recipients('/1/recipients')).toEqual(nobody)
  })

  test('are default channels with the standard set, with their names', async () => {
    await world.put('/notifications/channels/1', { is_default: true })
    const { channels } = (await get('/1/recipients')).body
    expect(channels).toEqual([{ id: 1, name: 'first', channel_type: 'webhook' }])
    expect(await recipients('/1/recipients')).toEqual(standard)
  })

  test('say why, the most specific reason, for each channel', async () => {
    await world.put('/notifications/channels/1', { is_default: true })
    await world.rule('burn_rate_too_fast', { severity: 'page', priority: 'low' })
    await world.rule('warning', {
      slo_id: null,
      selector: { all: true },
      channel_id: 2,
      priority: 'auto',
      notify: false,
    })
    await world.rule('violation', { enabled: false })
    expect(await recipients('/1/recipients')).toEqual({
      ...standard,
      'down critical': [],
      'burn_rate_too_fast page': ['1 rule 1 low'],
      'burn_rate_too_fast ticket': [],
      'warning warning': ['2 selector 2 medium'],
      'recovery null': ['1 default null null', '2 selector 2 null'],
    })
  })

  test('name the selector of the rule that selects them', async () => {
    const selector = { team_id: 1 }
    await world.rule('warning', { slo_id: null, selector })
    await world.rule('violation')
    const { causes } = (await get('/1/recipients')).body
    const selectors = causes.flatMap((cause: { recipients: object[] }) => cause.recipients)
    expect(selectors).toContainEqual(expect.objectContaining({ by: 'selector', selector }))
    expect(selectors).toContainEqual(expect.objectContaining({ by: 'rule', selector: null }))
  })

  test('leave out channels that are disabled', async () => {
    await world.put('/notifications/channels/1', { is_default: true, enabled: false })
    expect(await recipients('/1/recipients')).toEqual(nobody)
  })

  test('are not told of SLOs of others, and deleted ones', async () => {
    await world.nines.call('DELETE', '/api/v1/slos/1')
    for (const id of [1, 9]) expect((await get(`/${id}/recipients`)).status).toBe(404)
    const token = await world.nines.join('eve')
    await world.post('/slos', { ...checkout, name: 'Other' })
    expect((await get('/2/recipients', { token })).body).toEqual({ success: false, error: 'SLO not found' })
  })
})

describe('the recipients of an SLO that there is not yet', () => {
  test('are by its labels and its team, the first where it names none', async () => {
    await world.post('/organization/teams', { name: 'Payments' })
    const add = (selector: object) => world.rule('warning', { slo_id: null, selector, priority: 'high' })
    await add({ labels: { env: 'prod', tier: '1' } })
    await add({ team_id: 2 })
    const by = async (query: string) => (await recipients(`/recipients${query}`))['warning warning']
    expect(await by('')).toEqual([])
    expect(await by('?label=env:prod')).toEqual([])
    expect(await by('?label=env:prod&label=tier:1')).toEqual(['1 selector 1 high'])
    expect(await by('?team_id=2')).toEqual(['1 selector 2 high'])
    expect(await by('?team_id=2&label=env:prod&label=tier:1')).toEqual(['1 selector 1 high'])
    expect((await get('/recipients')).body.slo_id).toBe(null)
  })

  test('do not have the default channels and selectors of others', async () => {
    await world.put('/notifications/channels/1', { is_default: true })
    await world.rule('warning', { slo_id: null, selector: { all: true } })
    const token = await world.nines.join('eve')
    const { body } = await get('/recipients', { token })
    expect(inWords(body.causes)).toEqual(nobody)
  })

  test.each([
    ['?team_id=9', 404, 'Team not found'],
    ['?team_id=x', 400, 'Invalid request'],
    ['?label=env', 400, 'Invalid request'],
    ['?labels=env:prod', 400, 'Invalid request'],
    [`?${Array.from({ length: 21 }, (_, at) => `label=l${at}:x`).join('&')}`, 400, 'Invalid request'],
  ])('with %s are refused', async (query, status, error) => {
    const answer = await get(`/recipients${query}`)
    expect([answer.status, answer.body.error]).toEqual([status, error])
  })
})
