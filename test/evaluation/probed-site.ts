import { afterEach, beforeEach, spyOn } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { acceptingHook } from '../support/accepting-hook.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { shareWorkers } from '../support/shared-workers.ts'

type World = {
  nines: TestApp
  site: Receiver
  startedMs: number
  requested: ReturnType<typeof spyOn<TestApp['app']['evaluator'], 'soonAfterProbe'>>
  /** Called when evaluations have been stored. */
  stored: ReturnType<typeof spyOn<TestApp['app']['feed'], 'evaluated'>>
  readsProbes: boolean
  /** True for an SLO of several probes, which not each failed check evaluates while they are down. */
  readsSeveral: boolean
}

export const slo = {
  name: 'My site',
  target: 99.9,
  time_window: '30d',
  metric_type: 'availability',
  metric_query: 'probe_success{job="site"}',
}

/** Before each test, a site whose paths in `failing` answer 503, and a nines that may probe it; the clock moves in `pass` alone. */
export function probedSite() {
  const world = {} as World
  const failing = new Set<string>()

  beforeEach(async () => {
    failing.clear()
    const nines = await testApp({
      env: { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '3600', RETENTION_DAYS: '4' },
      workers: shareWorkers(),
    })
    await nines.join('ada')
    Object.assign(world, {
      nines,
      startedMs: nines.clock.now(),
      requested: spyOn(nines.app.evaluator, 'soonAfterProbe'),
      stored: spyOn(nines.app.feed, 'evaluated'),
      site: startReceiver(({ path }) => new Response('welcome', { status: failing.has(path) ? 503 : 200 })),
      readsProbes: true,
      readsSeveral: false,
    })
  })
  afterEach(async () => {
    await world.site.close()
    await world.nines.close()
  })

  async function post(path: string, body: object) {
    const answer = await world.nines.call('POST', `/api/v1${path}`, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }

  /** A site that is probed every 30 s, its SLO, and a channel that is notified of everything. */
  async function watch(change: object = {}, probe: object = {}) {
    await post('/embedded/probes', { name: 'site', type: 'http', target: `${world.site.url}/`, ...probe })
    const { id } = await post('/slos', { ...slo, ...change })
    const configuration = { webhook_url: acceptingHook() }
    await post('/notifications/channels', { name: 'hook', channel_type: 'webhook', configuration })
    const kinds = [
      'violation',
      'warning',
      'recovery',
      'burn_rate_too_fast',
      'error_budget_low',
      'error_budget_exhausted',
    ]
    for (const alert_type of kinds) {
      await post('/notifications/rules', { slo_id: id, channel_id: 1, priority: 'high', alert_type, notify: false })
    }
  }

  const outbox = () => world.nines.app.db.read.selectFrom('notifications').selectAll().orderBy('id').execute()

  /** Times in seconds since the start of `pass`, and subjects, of the notifications queued in so many seconds. */
  async function pass(seconds: number, step = 1): Promise<[atSeconds: number, subject: string][]> {
    const queued: [number, string][] = []
    let known = (await outbox()).length
    for (let second = step; second <= seconds; second += step) {
      world.nines.clock.advance(step * 1000)
      world.nines.app.collector.tick()
      await world.nines.app.collector.drain()
      await evaluateDue()
      const all = await outbox()
      for (const { subject } of all.slice(known)) queued.push([second, subject])
      known = all.length
    }
    return queued
  }

  /** Runs the evaluations that are due now: by the evaluator after a check that asks for one, and once a minute. */
  async function evaluateDue() {
    const nowMs = world.nines.clock.now()
    const isAwaited =
      world.readsProbes &&
      world.requested.mock.calls.some(([, , minIntervalMs]) => !minIntervalMs || !world.readsSeveral)
    world.requested.mockClear()
    world.stored.mockClear()
    world.nines.app.evaluator.tick()
    for (let atMs = isAwaited ? await evaluatedAtMs() : nowMs; atMs !== nowMs; atMs = await evaluatedAtMs()) {
      while (world.stored.mock.calls.length === 0) {
        await turn()
        world.nines.app.evaluator.tick() // a source is skipped while its last round is under way, until the next tick
      }
      world.stored.mockClear()
    }
    if ((nowMs / 1000) % 60 === 5) await world.nines.app.evaluator.evaluateAll()
  }

  const stateOf = (id: number) =>
    world.nines.app.db.read.selectFrom('slo_states').selectAll().where('slo_id', '=', id).executeTakeFirstOrThrow()

  /** Time of the latest evaluation of any SLO. */
  async function evaluatedAtMs() {
    const latest = world.nines.app.db.read
      .selectFrom('slo_states')
      .select(({ fn }) => fn.max('evaluated_at').as('atMs'))
    return (await latest.executeTakeFirst())?.atMs
  }

  /** Outages that are notified in so many seconds. */
  const downs = async (seconds: number) => (await pass(seconds)).filter(([, subject]) => subject.includes('is down'))

  /** Starts nines again where it was. */
  async function restart() {
    const [startMs, { dataDir }] = [world.nines.clock.now(), world.nines]
    await world.nines.app.close()
    const again = await testApp({ dataDir, startMs, env: { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '3600' } })
    const login = { email: 'ada@example.com', password: 'correct horse' }
    const { body } = await again.call('POST', '/api/v1/auth/login', login, { token: null })
    world.nines = {
      ...again,
      call: (method, path, sent) => again.call(method, path, sent, { token: body.access_token }),
    }
    world.requested = spyOn(world.nines.app.evaluator, 'soonAfterProbe')
    world.stored = spyOn(world.nines.app.feed, 'evaluated')
    await world.nines.app.samples.whenFilled()
    world.nines.app.collector.tick()
    await world.nines.app.collector.drain()
  }

  return { world, failing, post, watch, outbox, pass, evaluateDue, stateOf, evaluatedAtMs, downs, restart }
}
