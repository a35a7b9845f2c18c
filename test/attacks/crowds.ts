import { register } from '../support/process.ts'
import { type Attack, eventually, expectStatus, type World } from './world.ts'

const definition = { target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }

/** Creates 20 at a time, up to `most` or until one is refused with 409. */
async function createMany(max: number, create: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < max && !statuses.includes(409))
    statuses.push(...(await Promise.all(Array.from({ length: 20 }, create))))
  return statuses
}

/** Checks that creating is refused at the quota and not before. */
function beyondQuota(what: string, path: string, body: (world: World) => object): Attack {
  return {
    name: `an organization makes too many ${what}`,
    async run(world) {
      const statuses = await createMany(400, async () => (await world.call('POST', path, body(world))).status)
      if (!statuses.includes(409)) throw new Error(`${statuses.length} were made`)
      const odd = statuses.find((status) => status !== 201 && status !== 409)
      if (odd !== undefined) throw new Error(`answered ${odd}`)
    },
  }
}

/** Settings that the attacks below need. */
export const crowdSettings = {
  NOTIFY_CONCURRENCY: '2',
  QUOTA_SLOS: '50',
  QUOTA_CHANNELS: '50',
  QUOTA_SOURCES: '50',
  QUOTA_TARGETS: '50',
  QUOTA_PROBES: '50',
  QUOTA_TOKENS: '50',
  QUOTA_INVITATIONS_HOURLY: '50',
}

/** Accounts of `count` organizations that attack together. */
function conspirators({ nines, unique }: World, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => register(nines, unique().replace(' ', '-'))))
}

const endless = `${'max_over_time('.repeat(3)}vector(1)${'[1d:1s])'.repeat(3)}`

export const crowds: Attack[] = [
  {
    name: 'three organizations evaluate for ever',
    async run(world) {
      const path = '/embedded/prometheus/api/v1/query?query='
      const ask = (query: string, token: string) =>
        world.call('GET', `${path}${encodeURIComponent(query)}`, undefined, token)
      const accounts = await conspirators(world, 3)
      const heavy = Promise.all(accounts.map((token) => ask(endless, token)))
      await Bun.sleep(500)
      const began = performance.now()
      expectStatus(await ask('count({__name__=~".+"})', world.bystander), 200)
      const seconds = (performance.now() - began) / 1000
      if (seconds > 10) throw new Error(`another organization waited ${seconds} s`)
      for (const answer of await heavy) expectStatus(answer, 400, 422, 429, 503)
    },
  },
  {
    name: 'alerts to receivers that hang, beyond the bound on deliveries',
    async run({ call, unique, hostile }) {
      const slo = await call('POST', '/api/v1/slos', { ...definition, name: unique() })
      const slo_id = expectStatus(slo, 201).body.id
      for (let at = 0; at < 10; at += 1) {
        const configuration = { webhook_url: `${hostile}/hang-receiver` }
        const body = { name: unique(), channel_type: 'webhook', configuration }
        const channel = await call('POST', '/api/v1/notifications/channels', body)
        const rule = {
          slo_id,
          channel_id: expectStatus(channel, 201).body.data.id,
          alert_type: 'manual',
          subject: 'x',
          message: unique(),
        }
        expectStatus(await call('POST', '/api/v1/notifications/rules', rule), 201)
      }
      const max = () =>
        eventually(30, async () => Number(await (await fetch(`${hostile}/most?hang-receiver`)).text()) || undefined)
      await max()
      await Bun.sleep(3000) // for notifications that must not arrive
      if ((await max()) > 2) throw new Error(`${await max()} deliveries at once`)
    },
  },
  {
    name: 'forty corrections of one SLO that recur daily for a year',
    async run({ call, unique }) {
      const slo = { ...definition, metric_query: 'vector(1)', name: unique(), labels: { attacked: 'yes' } }
      expectStatus(await call('POST', '/api/v1/slos', slo), 201)
      const from = new Date(Date.now() - 390 * 86_400_000).toISOString()
      const rule = { rrule: 'FREQ=DAILY;COUNT=10000', duration_seconds: 3600, time_zone: 'Europe/Zurich' }
      const correction = { labels: { attacked: 'yes' }, from, ...rule, category: 'other' }
      for (let at = 0; at < 40; at += 1) expectStatus(await call('POST', '/api/v1/corrections', correction), 201)
      expectStatus(await call('POST', '/api/v1/corrections/preview', correction), 200)
      expectStatus(await call('DELETE', '/api/v1/corrections/1'), 200)
    },
  },
  beyondQuota('SLOs', '/api/v1/slos', ({ unique }) => ({ ...definition, name: unique() })),
  beyondQuota('channels', '/api/v1/notifications/channels', ({ unique, hostile }) => ({
    name: unique(),
    channel_type: 'webhook',
    configuration: { webhook_url: `${hostile}/good` },
  })),
  beyondQuota('targets', '/api/v1/embedded/targets', ({ unique, hostile }) => ({
    name: unique(),
    url: `${hostile}/metrics`,
    interval_seconds: 3600,
  })),
  beyondQuota('probes', '/api/v1/embedded/probes', ({ unique, hostile }) => ({
    name: unique(),
    type: 'http',
    target: `${hostile}/good`,
    interval_seconds: 3600,
  })),
  beyondQuota('API tokens', '/api/v1/auth/tokens', ({ unique }) => ({ name: unique(), role: 'viewer' })),
  beyondQuota('invitations', '/api/v1/organization/invitations', ({ unique }) => ({
    email: `${unique().replace(' ', '.')}@example.com`,
    role: 'viewer',
  })),
  {
    name: 'fifty sources that hang, and their health asked for a hundred times',
    async run(world) {
      const { call, unique, hostile } = world
      const add = async () =>
        (await call('POST', '/api/v1/tsdb/sources', { name: unique(), api_url: `${hostile}/hang-source` })).status
      await createMany(60, add)
      const ask = async () => expectStatus(await call('GET', '/api/v1/tsdb/health'), 200, 503, 429)
      await Promise.all(Array.from({ length: 100 }, ask))
      const max = Number(await (await fetch(`${hostile}/most?hang-source`)).text())
      if (max === 0 || max > 20) throw new Error(`${max} questions at once`)
    },
  },
  {
    name: 'one organization fills the cache of results',
    async run({ call, nines, bystander, unique }) {
      const entry = (key: string) => ({ key, query: 'up', slo_id: 1, time_window: '1h', result: 'x'.repeat(1000) })
      const own = await call('GET', '/api/v1/slos', undefined, bystander)
      const kept = { ...entry('kept'), slo_id: own.body.slos[0].id }
      expectStatus(await nines.call('POST', '/api/v1/cache/entry', kept, bystander), 200, 201)
      for (let round = 0; round < 150; round += 1)
        await Promise.all(Array.from({ length: 100 }, () => call('POST', '/api/v1/cache/entry', entry(unique()))))
      expectStatus(await nines.call('GET', '/api/v1/cache/entry/kept', undefined, bystander), 200)
    },
  },
  {
    name: 'a hundred guesses at a password of somebody who is signed in',
    async run({ call, nines, bystander }) {
      const guess = { email: 'bystander@example.com', password: 'not the password' }
      const ask = () => nines.call('POST', '/api/v1/auth/login', guess)
      const statuses = (await Promise.all(Array.from({ length: 100 }, ask))).map(({ status }) => status)
      if (statuses.some((status) => status !== 401 && status !== 429)) throw new Error(statuses.join())
      expectStatus(await call('GET', '/api/v1/auth/me', undefined, bystander), 200)
    },
  },
  {
    name: 'four organizations have 95,000 series scraped',
    async run(world) {
      const target = { name: 'many', url: `${world.hostile}/most-series`, interval_seconds: 5, timeout_seconds: 5 }
      for (const token of await conspirators(world, 4)) {
        expectStatus(await world.call('POST', '/api/v1/embedded/targets', target, token), 201)
        await Bun.sleep(6000)
      }
    },
  },
]
