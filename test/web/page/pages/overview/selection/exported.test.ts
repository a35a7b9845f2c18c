import { expect, test } from 'bun:test'
import { definitionsJson } from '../../../../../../src/web/page/pages/overview/selection/exported.ts'
import type { Slo } from '../../../../../../src/web/page/api/types.ts'

const slo = {
  name: 'a',
  metric_query: 'up',
  good_query: null,
  bad_query: null,
  total_query: null,
  threshold: null,
  threshold_op: null,
  time_zone: null,
  service_hours: null,
  composite: null,
} as Slo

const exported = (fields: Partial<Slo>) => JSON.parse(definitionsJson([{ ...slo, ...fields }]))[0]

test('an exported definition has the calendar window with its zone, and the service hours', () => {
  const hours = [{ days: [1], from: '08:00', to: '18:00' }]
  const fields = {
    time_window: 'month',
    time_zone: 'Asia/Kolkata',
    service_hours: { time_zone: 'Europe/Zurich', hours, holidays: [] },
  }
  expect(exported(fields)).toMatchObject({ ...fields, metric_query: 'up' })
  expect(exported({ time_window: '30d' })).not.toHaveProperty('time_zone')
})

test('an exported journey has its members, and no queries', () => {
  const composite = { method: 'worst', members: [{ slo_id: 1, weight: 1 }], on_unknown_member: 'unknown' }
  const body = exported({ composite, metric_query: '' })
  expect(body.composite).toEqual(composite)
  for (const field of ['metric_query', 'source_id', 'service_hours']) expect(body).not.toHaveProperty(field)
})
