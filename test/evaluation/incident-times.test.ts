import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { shop } from './shop-world.ts'

afterEach(closeAll)

test('a failure that begins and ends within a minute lasted as long, and cost as much, as where the budget went says', async () => {
  const world = await shop()
  const read = async (path: string) => (await world.nines.call('GET', `/api/v1${path}`)).body
  const minute = async (failing: Parameters<typeof world.minutes>[1]) => {
    await world.minutes(1, failing)
    const { error_budget } = await read('/slos/1/budget')
    const { incidents: rows } = await read('/slos/1/incidents')
    const [incident] = await world.incidents('all')
    if (!incident) return 'none'
    expect(rows).toHaveLength(1)
    const [{ began_at, ended_at, duration_seconds, budget_used_percent, id }] = rows
    expect([id, began_at, duration_seconds]).toEqual([incident.id, incident.began_at, incident.duration_seconds])
    if (incident.recovered_at !== null) expect(ended_at).toBe(incident.recovered_at)
    const { percentage_used, window_percent_used } = error_budget
    expect((budget_used_percent * window_percent_used) / percentage_used).toBeCloseTo(incident.budget_percent, 1)
    return incident.state
  }
  const all = { '/checkout': 1, '/search': 1 }
  await world.minutes(3, {})
  const states = [await minute({ '/checkout': 0.5 })]
  for (const failing of [all, all, all, all, { '/checkout': 0.5 }, {}, {}, {}, {}, {}]) {
    states.push(await minute(failing))
  }
  expect(states[1]).toBe('burning_fast')
  expect(states.at(-1)).toBe('recovering')
}, 120_000)
