import { expect, spyOn, test } from 'bun:test'
import { createSilenceIndex } from '../../../src/notifications/silences/silence-index.ts'

test('labels are read once each, however many SLOs are compared with however many silences', () => {
  const slos = Array.from({ length: 200 }, (_, id) => ({ id, organization_id: 1, labels: '{"team":"a","tier":"1"}' }))
  const silences = Array.from({ length: 300 }, (_, id) => ({
    id,
    organization_id: 1,
    slo_id: null,
    labels: JSON.stringify({ tier: '1', team: `nobody ${id}` }),
    starts_at: 0,
    until: 1,
    comment: 'x',
    created_by: null,
    created_at: 0,
  }))
  const parse = spyOn(JSON, 'parse')
  const index = createSilenceIndex(silences)
  expect(slos.filter((slo) => index.covering(slo).length > 0)).toEqual([])
  const times = parse.mock.calls.length
  parse.mockRestore()
  expect(times).toBe(500)
})
