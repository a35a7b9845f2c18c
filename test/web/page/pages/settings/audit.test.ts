import { expect, test } from 'bun:test'
import { auditQuery, detailLines, eventLabel } from '../../../../../src/web/page/pages/settings/audit/entries.ts'

test('the name of an event is made of its words', () => {
  expect(eventLabel('api_token_created')).toBe('Api token created')
})

test('a filter is the query of the API, and its last day is included', () => {
  const all = { event: '', outcome: '', person: '', object: ' ', from: '', to: '' }
  expect(auditQuery(all)).toBe('')
  const days = { from: '2026-11-01', to: '2026-11-30' }
  const query = auditQuery({ event: 'login', outcome: 'failure', person: '3', object: ' Checkout ', ...days })
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    event: 'login',
    outcome: 'failure',
    user_id: '3',
    object: 'Checkout',
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-12-01T00:00:00.000Z',
  })
  expect(auditQuery({ ...all, from: '2026-13-45' })).toBe('') // a day that does not exist
})

test('details show what was before, and what is not text as JSON', () => {
  expect(detailLines({ role: 'admin', role_before: 'viewer', user_id: 3, names: ['a'] })).toEqual([
    'role: viewer → admin',
    'user_id: 3',
    'names: ["a"]',
  ])
  expect(detailLines({ mail_before: 'a@example.com', zone: 'UTC', zone_before: null })).toEqual([
    'mail_before: a@example.com',
    'zone: null → UTC',
  ])
})
