import { register } from '../support/process.ts'
import { type Attack, expectStatus, type World } from './world.ts'

// Queries to sources through the Prometheus API, as Grafana or an editor sends them: hostile answers and hostile queries.

const paths = [
  'query?query=up',
  'query_range?query=up&start=1&end=600&step=1',
  'series?match[]=up',
  'labels',
  'label/job/values',
  'metadata',
]
const statuses = [200, 400, 422, 429, 503]

async function addSource(world: World, api_url: string, token = world.attacker): Promise<string> {
  const made = await world.call('POST', '/api/v1/tsdb/sources', { name: world.unique(), api_url }, token)
  return `/api/v1/tsdb/sources/${expectStatus(made, 201).body.id}`
}

/** Queries a source that gives these answers, then removes it. */
async function withSource(world: World, how: string, ask: (api: string) => Promise<unknown>): Promise<void> {
  const source = await addSource(world, how === 'embedded' ? how : `${world.hostile}/${how}`)
  await ask(`${source}/prometheus/api/v1`)
  await world.call('DELETE', source)
}

const times = (count: number, ask: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, ask))

const misbehaving = [
  'gzip-bomb',
  'endless',
  'endless-error',
  'endless-headers',
  'nested',
  'dribble',
  'redirect-home',
].map((how): Attack => ({
  name: `a source that is asked everything answers: ${how}`,
  run: (world) =>
    withSource(world, how, (api) =>
      Promise.all(paths.map(async (path) => expectStatus(await world.call('GET', `${api}/${path}`), 503))),
    ),
}))

const large = [
  ['large-series', 'series?match[]=up'],
  ['large-texts', 'labels'],
  ['large-texts', 'label/job/values?limit=3'],
  ['large-matrix', 'query_range?query=up&start=1&end=600&step=1'],
  ['large-vector', 'query?query=up'],
].map(([how = '', path]): Attack => ({
  name: `eight answers at once of ${how} to ${path}`,
  run: (world) =>
    withSource(world, how, (api) =>
      times(8, async () => expectStatus(await world.call('GET', `${api}/${path}`), ...statuses)),
    ),
}))

/** Requests a long answer and reads only its headers. */
async function readNothing({ nines }: World, url: string, token: string): Promise<() => Promise<unknown>> {
  const answer = await fetch(`${nines.url}${url}`, { headers: { authorization: `Bearer ${token}` } })
  return async () => answer.body?.cancel()
}

const pattern = (length: number) => `(${'x?'.repeat(length / 4)})+${'.*'.repeat(length / 8)}`
const selector = (text: string) => `match[]=${encodeURIComponent(`{a=~"${text}"}`)}`

const hostile: Record<string, string> = {
  'a huge pattern': `series?${selector(pattern(12_000))}`,
  'a pattern that is repeated': `labels?${selector('((x{30}){30}){30}')}`,
  'a hundred patterns': `labels?${Array.from({ length: 100 }, () => selector(pattern(80))).join('&')}`,
  'more patterns than may be': `labels?${`${selector('x.*')}&`.repeat(300)}`,
  'a range without end': 'query_range?query=up&start=-8640000000000&end=8640000000000&step=0.001',
  'a long range': 'query_range?query=max_over_time(vector(1)[100y:1s])&start=0&end=1e9&step=1e6',
  'many braces': `query?query=${'{'.repeat(8000)}`,
}

const asked = ['good', 'embedded'].flatMap((how) =>
  Object.entries(hostile).map(([name, question]): Attack => ({
    name: `a source (${how}) is asked twenty times: ${name}`,
    run: (world) =>
      withSource(world, how, (api) =>
        times(20, async () => {
          // as a form, since the length of a URL is limited
          const [path = '', fields = ''] = question.split('?')
          const answer = await fetch(`${world.nines.url}${api}/${path}`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${world.attacker}`,
              'content-type': 'application/x-www-form-urlencoded',
            },
            body: fields,
          })
          const text = await answer.text()
          expectStatus({ status: answer.status, headers: answer.headers, text, body: null }, ...statuses)
        }),
      ),
  })),
)

export const browse: Attack[] = [
  ...misbehaving,
  ...large,
  ...asked,
  {
    name: 'long answers of a source are asked for and not read',
    run: (world) =>
      withSource(world, 'large-series', async (api) => {
        const ends = await Promise.all(
          Array.from({ length: 3 }, () => readNothing(world, `${api}/series?match[]=up`, world.attacker)),
        )
        await Bun.sleep(2000)
        await Promise.all(ends.map((end) => end()))
      }),
  },
  {
    name: 'five organizations ask sources that hang',
    async run(world) {
      const accounts = await Promise.all(
        Array.from({ length: 5 }, () => register(world.nines, world.unique().replace(' ', '-'))),
      )
      const hanging = accounts.map(async (token) => {
        const api = `${await addSource(world, `${world.hostile}/hang-source`, token)}/prometheus/api/v1`
        await times(10, async () => expectStatus(await world.call('GET', `${api}/labels`, undefined, token), 429, 503))
      })
      await Bun.sleep(500)
      const source = await addSource(world, `${world.hostile}/good`, world.bystander)
      const began = performance.now()
      expectStatus(
        await world.call('GET', `${source}/prometheus/api/v1/query?query=up`, undefined, world.bystander),
        200,
      )
      const seconds = (performance.now() - began) / 1000
      if (seconds > 3) throw new Error(`another organization waited ${seconds} s`)
      await world.call('DELETE', source, undefined, world.bystander)
      await Promise.all(hanging)
    },
  },
  {
    name: 'a source is nines itself',
    async run(world) {
      const source = await addSource(world, world.nines.url)
      const made = await world.call('POST', '/api/v1/auth/tokens', { name: world.unique(), role: 'viewer' })
      const auth = { bearer: { token: expectStatus(made, 201).body.token } }
      const api_url = `${world.nines.url}${source}/prometheus`
      expectStatus(await world.call('PUT', source, { api_url, auth }), 200)
      await times(10, async () => expectStatus(await world.call('GET', `${source}/prometheus/api/v1/labels`), 429, 503))
      await world.call('DELETE', source)
    },
  },
]
