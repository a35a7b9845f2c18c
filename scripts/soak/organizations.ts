import { closeLater } from '../../test/support/closing.ts'
import { type OrganizationThings, addOrganization, pastText, type World } from '../../test/chaos/world.ts'

export type Organization = OrganizationThings & { name: string }

const extraTargets = 3
const seriesEach = 300

/**
 * Adds organizations like the first one, with an hour of history; each organization gets extra scrape targets that no SLO uses.
 */
export async function addOrganizations(world: World, names: string[]): Promise<Organization[]> {
  const extra = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      const count = Math.floor(Date.now() / 1000)
      const place = new URL(url).pathname.slice(1)
      const lines = Array.from(
        { length: seriesEach },
        (_, at) => `load_total{place="${place}",at="${at}"} ${count + at}\n`,
      )
      return new Response(`# TYPE load counter\n${lines.join('')}`)
    },
  })
  closeLater(() => void extra.stop(true))
  const organizations: Organization[] = []
  for (const name of ['first', ...names]) {
    const inhabitant = name === 'first' ? world.first : await addOrganization(world, name)
    organizations.push({ ...inhabitant, name })
    const post = async (path: string, body: object) => {
      const answer = await world.nines()?.call('POST', `/api/v1/embedded${path}`, body, inhabitant.token)
      if (!answer || answer.status > 201) throw new Error(`${path}: ${answer?.text}`)
    }
    if (name !== 'first') await post('/import', { text: pastText() }) // the first organization already has history
    for (let number = 0; number < extraTargets; number += 1) {
      const target = { name: `extra ${number}`, url: `${extra.url.href}${number}`, interval_seconds: 5 }
      await post('/targets', { ...target, timeout_seconds: 4 })
    }
  }
  return organizations
}
