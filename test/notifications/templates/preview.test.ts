import { utc } from '../../../src/zone.ts'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { placeholdersOf } from '../../../src/notifications/templates/placeholders.ts'
import { sampleData } from '../../../src/notifications/templates/sample-data.ts'
import { isPlaceholder, placeholderNames } from '../../../src/notifications/templates/template-data.ts'
import { closeAll } from '../../support/closing.ts'
import { testStartMs } from '../../support/app.ts'
import { someData } from '../../support/messages.ts'
import { deliveryWorld, type DeliveryWorld } from '../delivery/delivery-world.ts'

let world: DeliveryWorld
beforeEach(async () => {
  world = await deliveryWorld()
})
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

const preview = (body: object) => world.nines.call('POST', '/api/v1/notifications/templates/preview', body)
const kinds = [
  'violation',
  'warning',
  'recovery',
  'error_budget_low',
  'error_budget_exhausted',
  'burn_rate_too_fast',
  'manual',
] as const

test('templates are filled in with the last notification of the kind', async () => {
  const { id: channel } = await world.channel()
  const burning = { event: 'alert', alert_type: 'burn_rate_too_fast', alert_id: 7 } as const
  await world.queue(channel, ['older'], { ...burning, data: someData({ slo_name: 'Older' }) })
  const [id] = await world.queue(channel, ['newer'], { ...burning, data: someData({ slo_name: 'Search' }) })
  await world.queue(channel, ['about the rule'], { alert_type: 'burn_rate_too_fast', event: 'message' })
  const subject = '{{slo_name}} burns {{burn_rate}} times too fast'
  const { status, body } = await preview({ alert_type: 'burn_rate_too_fast', subject, message: 'Team {{labels.team}}' })
  expect([status, body.data]).toMatchObject([
    200,
    {
      subject: 'Search burns 16.2 times too fast',
      message: 'Team shop',
      slo_name: 'Search',
      problems: [],
      based_on: { notification_id: id, slo_id: 1 },
      defaults: { subject: expect.stringMatching(/^Page: Search burns/), message: expect.stringContaining('SLI') },
    },
  ])
  expect(body.data.placeholders).toContainEqual({
    name: 'labels.team',
    description: 'the label team of the SLO',
    value: 'shop',
  })
})

test('texts that are left out are the default ones', async () => {
  const { data } = (await preview({ alert_type: 'violation' })).body
  expect({ subject: data.subject, message: data.message }).toEqual(data.defaults)
  const { data: own } = (await preview({ alert_type: 'violation', subject: 'a', message: null })).body
  expect({ subject: own.subject, message: own.message }).toEqual({ subject: 'a', message: data.defaults.message })
})

test('an alert of another kind, another organization or another SLO is not shown', async () => {
  const { id: channel } = await world.channel()
  await world.queue(channel, ['a'], { event: 'alert', alert_type: 'violation', data: someData({ slo_name: 'Search' }) })
  const basis = async (body: object) => (await preview(body)).body.data.based_on
  expect(await basis({ alert_type: 'warning' })).toBeNull()
  expect(await basis({ alert_type: 'slo_below_target' })).not.toBeNull()
  expect(await basis({ alert_type: 'violation', slo_id: 1 })).not.toBeNull()
  const mallory = await world.nines.join('mallory')
  const body = { alert_type: 'violation' }
  const path = '/api/v1/notifications/templates/preview'
  const other = await world.nines.call('POST', path, body, { token: mallory })
  expect([other.body.data.based_on, other.body.data.slo_name]).toEqual([null, 'Checkout answers'])
})

test('each unknown placeholder is a problem of its field, and stays as it is written', async () => {
  const { status, body } = await preview({ alert_type: 'warning', subject: '{{nmae}}', message: '{{slo_name}} {{x}}' })
  expect([status, body.data.subject, body.data.message]).toEqual([200, '{{nmae}}', 'Checkout answers {{x}}'])
  expect(body.data.problems).toEqual([
    {
      field: 'subject',
      message: expect.stringMatching(/^unknown placeholder \{\{nmae\}\} \(known: slo_id, /),
      code: 'unknown_placeholder',
      params: { placeholder: 'nmae', known: expect.arrayContaining(['slo_id', 'slo_name']) },
    },
    {
      field: 'message',
      message: expect.stringMatching(/^unknown placeholder \{\{x\}\}/),
      code: 'unknown_placeholder',
      params: { placeholder: 'x', known: expect.any(Array) },
    },
  ])
})

test.each([
  ['no kind', {}, 'alert_type'],
  ['a kind whose texts cannot be set', { alert_type: 'appliance_condition' }, 'alert_type'],
  ['a subject of two lines', { alert_type: 'warning', subject: 'a\nb' }, 'subject'],
  ['too long a subject', { alert_type: 'warning', subject: 'x'.repeat(501) }, 'subject'],
  ['too long a message', { alert_type: 'warning', message: 'x'.repeat(20_001) }, 'message'],
  ['what is no id', { alert_type: 'warning', slo_id: 'x' }, 'slo_id'],
])('%s is refused by its field', async (_, body, field) => {
  const refused = await preview(body)
  expect([refused.status, refused.body.details]).toEqual([400, expect.stringMatching(new RegExp(`^${field}:`))])
})

test('an SLO that is not there is 404', async () => {
  expect((await preview({ alert_type: 'warning', slo_id: 99 })).status).toBe(404)
})

describe('placeholders', () => {
  test('all have a description, and names that templates take', () => {
    const listed = placeholdersOf(sampleData('burn_rate_too_fast', 'https://nines.example', utc, testStartMs), 'text')
    for (const { name, description } of listed) {
      expect(isPlaceholder(name)).toBe(true)
      expect([name, description]).toEqual([name, expect.stringMatching(/./)])
    }
    expect(listed.length).toBe(placeholderNames.length + 2)
  })
})

describe('a sample', () => {
  test.each(kinds)('of %s reads as one', async (alert_type) => {
    const { data } = (await preview({ alert_type })).body
    expect(data.based_on).toBeNull()
    expect(data.subject).toContain('Checkout answers')
    expect(`${data.subject} ${data.message}`).not.toMatch(/unknown|NaN|undefined|\{\{/)
  })

  test('of a burn rate is like a real one', () => {
    const { slo } = sampleData('burn_rate_too_fast', 'https://nines.example', utc, testStartMs)
    expect(Object.keys(slo).toSorted()).toEqual(
      Object.keys({ ...someData(), incident: null, owner: '', policy: null, runbook_url: '' }).toSorted(),
    )
    expect(slo.forecast?.exhausted_in_seconds).toBeGreaterThan(0)
  })
})
