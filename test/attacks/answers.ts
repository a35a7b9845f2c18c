import { type Attack, expectStatus, type World } from './world.ts'

/** Misbehaviours of outside services, for each part of nines that reads their answers. */
const misbehaviours = [
  'brotli-bomb',
  'gzip-bomb',
  'double-gzip',
  'deflate-bomb',
  'endless',
  'endless-error',
  'hundred-megabytes',
  'endless-headers',
  'interim-flood',
  'nested',
  'dribble',
] as const

type Asker = (world: World, url: string) => Promise<void>

async function addSource({ call, unique }: World, url: string): Promise<number> {
  const made = await call('POST', '/api/v1/tsdb/sources', { name: unique(), api_url: url })
  return expectStatus(made, 201).body.id
}

const askSource: Asker = async (world, url) => {
  const tried = await world.call('POST', '/api/v1/tsdb/sources/test', { name: world.unique(), api_url: url })
  expectStatus(tried, 200)
  const source_id = await addSource(world, url)
  const ask = () => world.call('POST', '/api/v1/tsdb/query', { query: 'up', time_range: '24h', step: '5m', source_id })
  expectStatus(await ask(), 503, 500, 400)
  await world.call('DELETE', `/api/v1/tsdb/sources/${source_id}`)
}

const sendTo: Asker = async ({ call, unique }, url) => {
  const configuration = { webhook_url: url }
  const channel = await call('POST', '/api/v1/notifications/channels', {
    name: unique(),
    channel_type: 'webhook',
    configuration,
  })
  const { id: channel_id } = expectStatus(channel, 201).body.data
  const test = { channel_id, subject: 'attack', message: 'attack' }
  // a receiver that answers 200 has accepted the notification, whatever the body
  expectStatus(await call('POST', '/api/v1/notifications/test', test), 200, 500)
  await call('DELETE', `/api/v1/notifications/channels/${channel_id}`)
}

/** Tests a target or probe, collects it once, and removes it. */
async function collected({ call }: World, path: string, sent: object): Promise<void> {
  expectStatus(await call('POST', `${path}/test`, sent), 200)
  const { id } = expectStatus(await call('POST', path, sent), 201).body
  expectStatus(await call('POST', `${path}/${id}/test`, {}), 200)
  await call('DELETE', `${path}/${id}`)
}

const scrape: Asker = async (world, url) => {
  const path = '/api/v1/embedded/targets'
  const target = { name: world.unique(), url, timeout_seconds: 5, interval_seconds: 60 }
  await collected(world, path, target)
}

const probe: Asker = async (world, target) => {
  const path = '/api/v1/embedded/probes'
  const settings = { body_matches: 'never there' }
  const made = { name: world.unique(), type: 'http', target, settings, timeout_seconds: 5, interval_seconds: 60 }
  await collected(world, path, made)
}

const askers: Asker[] = [askSource, sendTo, scrape, probe]

const single = misbehaviours.map((how): Attack => ({
  name: `source, receiver, target and probed page answer: ${how}`,
  async run(world) {
    await Promise.all(askers.map((ask) => ask(world, `${world.hostile}/${how}`)))
  },
}))

/** Many concurrent queries, each large but valid. */
const together: Attack[] = [
  ...['large-matrix', 'large-vector', 'brotli-bomb', 'endless'].map((how): Attack => ({
    name: `eight questions at once to a source that answers: ${how}`,
    async run(world) {
      const source_id = await addSource(world, `${world.hostile}/${how}`)
      const query = { query: 'up', time_range: '24h', step: '5m', source_id }
      const ask = async () =>
        expectStatus(await world.call('POST', '/api/v1/tsdb/query', query), 200, 500, 503, 429, 400)
      await Promise.all(Array.from({ length: 8 }, ask))
      await world.call('DELETE', `/api/v1/tsdb/sources/${source_id}`)
    },
  })),
  ...['many-series', 'large-exposition'].map((how): Attack => ({
    name: `a target exposes: ${how}`,
    run: (world) => scrape(world, `${world.hostile}/${how}`),
  })),
]

export const answers: Attack[] = [...single, ...together]
