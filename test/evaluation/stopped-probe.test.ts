import { expect, test } from 'bun:test'
import { probedSite } from './probed-site.ts'

const { world, failing, watch, pass } = probedSite()

test.each([
  ['deleted', () => world.nines.call('DELETE', '/api/v1/embedded/probes/1')],
  ['paused', () => world.nines.call('PUT', '/api/v1/embedded/probes/1', { is_active: false })],
])('an outage whose probe is %s ends with that reason, and nothing is known of its SLO', async (_, stop) => {
  await watch()
  await pass(120)
  failing.add('/')
  expect(await pass(120)).toHaveLength(1)
  const { body } = await world.nines.call('GET', '/api/v1/embedded/probes')
  const why = `${body.probes[0].name} is paused or was deleted`
  await stop()
  const [[, subject] = []] = await pass(10)
  expect(subject).toMatch(new RegExp(`^My site was down for .*, and is not known to be up: ${why}$`))
  const state = (await world.nines.call('GET', '/api/v1/slos/1/budget')).body
  expect(state).toMatchObject({ state: 'unknown', state_reason: why })
  const [incident] = (await world.nines.call('GET', '/api/v1/incidents?state=all')).body.incidents
  expect(incident).toMatchObject({ state: 'closed', close_reason: 'not_evaluated' })
  expect(await pass(300)).toEqual([])
})
