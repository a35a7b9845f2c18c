import { expect, test } from 'bun:test'
import type { NotificationRow } from '../../../src/db/tables/tables.ts'
import { messageOf } from '../../../src/notifications/delivery/attempt.ts'
import { someAlert, someData } from '../../support/messages.ts'

const key = '0195f3a2-0000-7000-8000-000000000041'

function aRow(changes: Partial<NotificationRow> = {}, alert = someAlert()): NotificationRow {
  return {
    id: 41,
    organization_id: 1,
    slo_id: 7,
    rule_id: null,
    channel_id: 1,
    alert_id: 31,
    incident_id: null,
    incident_event: null,
    relapse: null,
    channel_type: 'webhook',
    event: 'alert',
    alert_type: 'burn_rate_too_fast',
    status: 'sending',
    priority: 'high',
    subject: 'subject',
    message: 'first line\nsecond line',
    metadata: JSON.stringify(someData({ alert })),
    content_hash: '',
    idempotency_key: key,
    retry_count: 0,
    max_retries: 3,
    error_message: '',
    next_attempt_at: 0,
    leased_until: null,
    sealed_configuration: null,
    sent_at: null,
    delivered_at: null,
    created_at: 1000,
    updated_at: 2000,
    ...changes,
  }
}
const withoutAlert = (changes: Partial<NotificationRow>) =>
  aRow({ alert_id: null, metadata: JSON.stringify(someData({ alert: null })), ...changes })
const deps = { instanceId: 'abc', publicUrl: () => 'https://nines.example' }

test('a channel gets the content of the row and the link to its SLO', () => {
  expect(messageOf(deps, aRow())).toEqual({
    id: 41,
    organizationId: aRow().organization_id,
    idempotencyKey: key,
    event: 'alert',
    isAboutRule: false,
    alertKey: 'nines-abc-slo-7-burn_rate-3600-300',
    threadKey: 'nines-abc-slo-7-burn_rate-3600-300-31',
    alertType: 'burn_rate_too_fast',
    priority: 'high',
    subject: 'subject',
    text: 'first line\nsecond line',
    createdAtMs: 1000,
    slo: { id: 7, data: someData(), link: 'https://nines.example/slos/7' },
  })
})

test('an alert and its recovery have one key and one thread, the next such alert the same key and a thread of its own', () => {
  const recovery = aRow({ id: 42, event: 'recovery', alert_type: 'recovery', idempotency_key: 'other' })
  const next = aRow({ id: 43, alert_id: 32, idempotency_key: 'third' })
  const [one, two, three] = [aRow(), recovery, next].map((row) => messageOf(deps, row))
  expect([two?.alertKey, two?.threadKey]).toEqual([one?.alertKey, one?.threadKey])
  expect(three?.alertKey).toBe(one?.alertKey)
  expect(three?.threadKey).not.toBe(one?.threadKey)
})

test.each([
  [withoutAlert({ event: 'alert', alert_type: 'violation' }), 'nines-abc-slo-7-status'],
  [withoutAlert({ event: 'alert', alert_type: 'slo_below_target' }), 'nines-abc-slo-7-status'],
  [withoutAlert({ event: 'recovery', alert_type: 'slo_recovery' }), 'nines-abc-slo-7-status'],
  [withoutAlert({ event: 'alert', alert_type: 'error_budget_low' }), 'nines-abc-slo-7-error_budget_low'],
  [withoutAlert({ event: 'message', alert_type: 'manual' }), `nines-abc-slo-7-${key}`],
])('a notification of no alert is distinguished by its type, and a message by itself (%#)', (row, alertKey) => {
  expect(messageOf(deps, row)).toMatchObject({ alertKey, threadKey: `${alertKey}-${key}` })
})

test('two instances do not share keys', () => {
  expect(messageOf({ ...deps, instanceId: 'def' }, aRow()).alertKey).toBe('nines-def-slo-7-burn_rate-3600-300')
})
