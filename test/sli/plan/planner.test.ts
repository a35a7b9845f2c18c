import { afterEach, expect, test } from 'bun:test'
import { getSlo } from '../../../src/slos/store.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { countEventLoopIterations } from '../../support/event-loop-iterations.ts'
import { checkout } from '../../support/slo-calls.ts'

let nines: TestApp
afterEach(() => nines.close())

test('many long queries are planned in short turns, in the order of their SLOs', async () => {
  nines = await joinedApp()
  const { body } = await nines.call('POST', '/api/v1/slos', checkout)
  const slo = await getSlo(nines.app.db.read, 1, body.id)
  const sum = (metric: string) => Array.from({ length: 900 }, () => metric).join('+')
  const slos = Array.from({ length: 200 }, (_, at) => ({ ...slo, id: 100 + at, good_query: sum(`a${at}`) }))
  using turns = countEventLoopIterations()
  const planned = await nines.app.planner.planAll(slos)
  expect(turns.count()).toBeGreaterThan(5)
  expect(planned.map((one) => one.slo.id)).toEqual(slos.map(({ id }) => id))
  expect(planned[0]?.plan).toBe(nines.app.planner.plan(slos[0] ?? slo).plan)
})
