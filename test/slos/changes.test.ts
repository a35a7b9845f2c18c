import { expect, test } from 'bun:test'
import { sloCalls } from '../support/slo-calls.ts'

const on = sloCalls()
const changesOf = (id: number, query = '', token?: string) =>
  on.nines.call('GET', `/api/v1/slos/${id}/changes${query}`, undefined, token === undefined ? {} : { token })

test('each change of an SLO is listed with who made it, and with what its fields were before', async () => {
  const { body: slo } = await on.create({ labels: { tier: '1' } })
  on.nines.clock.advance(60_000)
  await on.change(slo.id, { target: 99.5, labels: { tier: '2' } })
  on.nines.clock.advance(60_000)
  await on.change(slo.id, { metric_query: 'up' })
  const tier = { long_window: '1h', short_window: '5m', factor: 10, severity: 'page' }
  await on.nines.call('PUT', `/api/v1/slos/${slo.id}/alerting`, { burn_rate_tiers: [tier], budget_thresholds: [50] })
  await on.remove(slo.id)
  await on.change(slo.id, { active: true })
  const { status, body } = await changesOf(slo.id)
  expect(status).toBe(200)
  expect(body).toMatchObject({ total: 6, page: 1, has_next: false })
  expect(body.changes.map(({ new_revision }: { new_revision: boolean }) => new_revision)).toEqual([
    false,
    false,
    false,
    true,
    false,
    true,
  ])
  expect(body.changes.map(({ event, revision, fields }: never) => ({ event, revision, fields }))).toEqual([
    { event: 'restored', revision: 2, fields: [] },
    { event: 'deleted', revision: 2, fields: [] },
    {
      event: 'changed',
      revision: 2,
      fields: [
        { field: 'burn_rate_tiers', before: null, after: [{ ...tier, min_events: 0, enabled: true }] },
        { field: 'budget_thresholds', before: null, after: [50] },
      ],
    },
    { event: 'changed', revision: 2, fields: [{ field: 'metric_query', before: slo.metric_query, after: 'up' }] },
    {
      event: 'changed',
      revision: 1,
      fields: [
        { field: 'target', before: 99.9, after: 99.5 },
        { field: 'labels', before: { tier: '1' }, after: { tier: '2' } },
      ],
    },
    { event: 'created', revision: 1, fields: [] },
  ])
  expect(body.changes[5]).toMatchObject({ changed_by: 1, changed_by_name: 'ada', changed_at: slo.created_at })
  expect((await changesOf(slo.id, '?page=2&page_size=4')).body.changes).toHaveLength(2)
})

test('a change that changes nothing is none, and no more than 100 are kept', async () => {
  const { body: slo } = await on.create()
  await on.change(slo.id, { target: slo.target })
  expect((await changesOf(slo.id)).body.total).toBe(1)
  for (let n = 0; n < 101; n += 1) await on.change(slo.id, { description: `the ${n}th` })
  const { body } = await changesOf(slo.id)
  expect(body.total).toBe(100)
  expect(body.changes[0].fields).toEqual([{ field: 'description', before: 'the 99th', after: 'the 100th' }])
})

test('the changes of an SLO are those of its organization alone', async () => {
  const { body: slo } = await on.create()
  expect((await changesOf(slo.id, '', on.stranger)).status).toBe(404)
})

test('one SLO comes with the names of its team, its source and who made it', async () => {
  const { body: slo } = await on.create()
  const { body } = await on.read(slo.id)
  expect(body).toMatchObject({ source_id: null, source_name: null, created_by_name: 'ada' })
  expect(typeof body.team_name).toBe('string')
  const source = { name: 'metrics', api_url: 'http://metrics.example', is_default: true }
  const made = await on.nines.call('POST', '/api/v1/tsdb/sources', source)
  expect(made.status).toBe(201)
  expect((await on.read(slo.id)).body.source_name).toBe('metrics')
  await on.change(slo.id, { source_id: made.body.id })
  expect((await on.read(slo.id)).body.source_name).toBe('metrics')
})
