import { mkdirSync } from 'node:fs'
import { testApp } from '../support/app.ts'
import { fillQuotas } from '../support/full-quotas.ts'
import { type Document, type WalkedRequest, walkOf } from '../support/full-walk.ts'
import { type Populated, populated } from '../support/populated.ts'
import type { Attack, World, WorldOptions } from './world.ts'

// Short form of `npm run bench full-size`: a quarter of each quota, or `NINES_SHARE` of it; eight clients send each request once.

const clients = 8
const maxAnswerBytes = 4 * 1024 * 1024
const share = Number(process.env['NINES_SHARE'] ?? 0.25)

let own: Populated | undefined

async function fill(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  const nines = await testApp({ dataDir, startMs: Math.floor(Date.now() / 60_000) * 60_000 })
  own = await populated(nines, 'ada', 2)
  await fillQuotas(nines, own, { share })
  await nines.app.close()
}

export const fullSizeOptions: WorldOptions = {
  prepare: fill,
  env: { EVALUATION_INTERVAL: '0', QUERY_CPU_SECONDS_PER_MINUTE: '100000' },
}

async function walk(world: World, isMeant: (one: WalkedRequest) => boolean): Promise<void> {
  const { nines } = world
  if (!own) throw new Error('the data folder must be filled first')
  const document = (await (await fetch(`${nines.url}/openapi.json`)).json()) as Document
  for (const request of walkOf(document, own).filter(isMeant)) {
    await Promise.all(Array.from({ length: clients }, () => ask(nines.url, own?.token ?? '', request)))
  }
}

/** Throws for an error of nines, and for an answer that is too long and neither a page nor a stream. */
async function ask(url: string, token: string, { name, method, path, body, isPaged }: WalkedRequest): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) }
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.byteLength
  if (answer.status >= 500 && answer.status !== 503) throw new Error(`${name} answered ${answer.status}`)
  const isWhole = answer.headers.has('content-length') && !isPaged
  if (isWhole && bytes > maxAnswerBytes) throw new Error(`${name} answered ${bytes} bytes at once`)
}

/** Left out: PromQL over all series has attacks in its own suite. */
const isPromQl = ({ name }: WalkedRequest) => name.includes('/prometheus/')

export const fullSize: Attack[] = [
  {
    name: 'eight clients read everything there is',
    run: (world) => walk(world, (one) => one.method === 'GET' && !isPromQl(one)),
  },
  {
    name: 'eight clients set the rules of all SLOs, with the longest texts there may be',
    async run({ nines }) {
      if (!own) throw new Error('the data folder must be filled first')
      const { token, things } = own
      const path = '/api/v1/notifications/rules'
      const { body } = await nines.call('GET', `${path}/coverage`, undefined, token)
      const slo_ids = body.slos.map(({ id }: { id: number }) => id)
      const setting = { channel_id: things.channel, alert_type: 'warning', slo_ids }
      const set = (at: number) => {
        const message = `${at}`.padEnd(Math.min(20_000, Math.floor(4_194_304 / slo_ids.length)), 'x')
        return nines.call('PUT', path, { ...setting, message }, token)
      }
      const answers = await Promise.all(Array.from({ length: clients }, (_, at) => set(at)))
      const refused = answers.find(({ status }) => status !== 200 && status !== 409) // 409: all rules are there already
      if (refused) throw new Error(`answered ${refused.status}: ${refused.text}`)
    },
  },
  {
    name: 'eight clients create an SLO of a long query for each of fifty values',
    async run({ nines }) {
      if (!own) throw new Error('the data folder must be filled first')
      const sum = (metric: string) => Array.from({ length: 600 }, () => metric).join('+')
      const slo = {
        name: 'Long',
        target: 99,
        time_window: '30d',
        metric_type: 'availability',
        force: true,
        paused: true,
      }
      const body = {
        action: 'create_for_each',
        label: 'pod',
        slo: { ...slo, good_query: sum('a'), total_query: sum('b') },
      }
      const create = (client: number) => {
        const values = Array.from({ length: 50 }, (_, at) => `${client}-${at}`)
        return nines.call('POST', '/api/v1/slos/bulk', { ...body, values }, own?.token)
      }
      const answers = await Promise.all(Array.from({ length: clients }, (_, client) => create(client)))
      const refused = answers.find(({ status }) => status !== 200 && status !== 409) // 409: there are as many as there may be
      if (refused) throw new Error(`answered ${refused.status}: ${refused.text}`)
    },
  },
  {
    name: 'eight clients send everything that can be changed',
    run: (world) => walk(world, ({ method }) => method !== 'GET'),
  },
]
