import { expect, test } from 'bun:test'
import { probedSite } from './probed-site.ts'

const path = '/api/v1/embedded/probes/1'
const { world, failing, watch, pass } = probedSite()

test.each([
  ['deleted', 'is paused or was deleted', () => world.nines.call('DELETE', path)],
  ['paused', 'is paused or was deleted', () => world.nines.call('PUT', path, { is_active: false })],
  ['renamed', 'has other labels now', () => world.nines.call('PUT', path, { name: 'Another site' })],
])('an outage whose probe is %s ends with that reason, and nothing is known of its SLO', async (_, reason, stop) => {
  await watch()
  await pass(120)
  failing.add('/')
  expect(await pass(120)).toHaveLength(1)
  const { body } = await world.nines.call('GET', '/api/v1/embedded/probes')
  const why = `${body.probes[0].name} ${reason}`
  await stop()
  const [[, subject] = []] = await pass(1)
  expect(subject).toMatch(new RegExp(`^My site was down for .*, and is not known to be up: ${why}$`))
  const state = (await world.nines.call('GET', '/api/v1/slos/1/budget')).body
  expect(state).toMatchObject({ state: 'unknown', state_reason: why })
  const [incident] = (await world.nines.call('GET', '/api/v1/incidents?state=all')).body.incidents
  expect(incident).toMatchObject({ state: 'closed', close_reason: 'not_evaluated' })
  world.readsProbes = false // the SLO reads nothing that is still checked
  expect(await pass(300)).toEqual([])
})
