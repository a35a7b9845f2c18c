import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { dump } from '../../support/populated.ts'
import { checkout } from '../../support/slo-calls.ts'

const path = '/api/v1/notifications/silences'
const good = { slo_id: 1, duration_seconds: 3600, comment: 'Moving house' }

let nines: TestApp
beforeAll(async () => {
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/slos', checkout)
  await nines.call('POST', path, good)
})
afterAll(() => nines.close())

describe('refused, and without effect, is', () => {
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v']))
  const either = 'slo_id: send exactly one of slo_id and labels'
  const comment = 'comment: must be 1 to 1000 characters, no control characters but line breaks'
  const label = 'labels.team: must be 1 to 200 characters, no control characters'
  const id = 'slo_id: must be the SLO id, a whole number from 1'
  test.each([
    [{ slo_id: undefined }, either],
    [{ slo_id: null, labels: null }, `${either}, got null`],
    [{ labels: { team: 'payments' } }, `${either}, got 1`],
    [{ labels: {} }, `${either}, got 1`],
    [{ slo_id: null, labels: {} }, 'labels: must have at least one entry, got an object'],
    [{ slo_id: null, labels: many }, 'labels: must have at most 20 entries, not 21'],
    [{ slo_id: null, labels: 'team' }, 'labels: must be a JSON object of texts, got "team"'],
    [{ slo_id: null, labels: [['team', 'x']] }, 'labels: must be a JSON object of texts, got a list of 1'],
    [{ slo_id: null, labels: { team: 7 } }, `${label}, got 7`],
    [{ slo_id: null, labels: { team: 'a\u0000' } }, String.raw`${label}, got "a\u0000"`],
    [{ slo_id: '1' }, `${id}, got "1"`],
    [{ slo_id: 0 }, `${id}, got 0`],
    [{ slo_id: 1.5 }, `${id}, got 1.5`],
    [{ comment: undefined }, comment.replace('must be', 'is required:')],
    [{ comment: '' }, `${comment}, got ""`],
    [{ comment: ' \n ' }, String.raw`${comment}, got " \u000a "`],
    [{ comment: 'x'.repeat(1001) }, `${comment}, got "${'x'.repeat(40)}…"`],
    [{ comment: 'a\u0007' }, String.raw`${comment}, got "a\u0007"`],
  ])('%j', async (change, details) => {
    const before = dump(nines)
    const { status, body } = await nines.call('POST', path, { ...good, ...change })
    expect([status, body.details]).toEqual([400, details])
    expect(dump(nines)).toEqual(before)
  })

  test.each([{}, { slo_id: 2 }, { comment: '' }, { until: 'tomorrow' }, { until: null }])(
    'a change to %j',
    async (body) => {
      const before = dump(nines)
      expect((await nines.call('PUT', `${path}/1`, body)).status).toBe(400)
      expect(dump(nines)).toEqual(before)
    },
  )
})
