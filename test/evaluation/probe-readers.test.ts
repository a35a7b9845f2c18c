import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createProbeReaders, type ProbeReaders } from '../../src/evaluation/probe-readers.ts'
import { createPlanner } from '../../src/sli/plan/planner.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'

let nines: TestApp
let readers: ProbeReaders
beforeEach(async () => {
  nines = await joinedApp()
  readers = createProbeReaders(createPlanner({ db: nines.app.db, clock: nines.clock }))
})
afterEach(() => nines.close())

async function create(jobs: string): Promise<number> {
  const metric_query = jobs.includes('|') ? `min(probe_success{job=~"${jobs}"})` : `probe_success{job="${jobs}"}`
  const slo = { name: jobs, target: 99.9, time_window: '30d', metric_type: 'availability', metric_query }
  return (await nines.call('POST', '/api/v1/slos', slo)).body.id
}

/** Ids of the SLOs that are due because of a failed run of this probe. */
async function due(job: string, atSeconds: number, minIntervalMs = 30_000): Promise<number[]> {
  const probed = [{ organizationId: 1, labels: [['job', job]] as const, minIntervalMs }]
  const groups = await readers.list(nines.app.db.read, probed, atSeconds * 1000)
  return groups.flatMap(({ slos }) => slos.map(({ id }) => id))
}

test('an SLO of several probes that are down is due once in their interval, and at any change of one', async () => {
  const both = await create('shop|api')
  const one = await create('shop')
  expect(await due('shop', 0)).toEqual([both, one])
  expect(await due('api', 11)).toEqual([])
  expect(await due('api', 12, 0)).toEqual([both])
  expect(await due('shop', 30)).toEqual([both, one])
  expect(await due('api', 41)).toEqual([])
})

test('SLOs are listed again after a change of them, and one that was deleted is not due', async () => {
  const first = await create('shop')
  expect(await due('shop', 0)).toEqual([first])
  const second = await create('shop|api')
  expect(await due('shop', 30)).toEqual([first])
  readers.clear()
  expect(await due('shop', 60)).toEqual([first, second])
  await nines.call('DELETE', `/api/v1/slos/${first}`)
  expect(await due('shop', 90)).toEqual([second])
})
