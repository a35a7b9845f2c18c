import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { availabilityQuery } from '../support/direct-query.ts'
import { loopbackCertificate } from '../support/loopback-certificate.ts'
import { slackRefusals } from '../support/receivers/slack.ts'
import { startTimedNines, type TimedNines } from '../support/timed-nines.ts'
import { startFedPrometheus } from '../support/fed-prometheus.ts'
import { type ReceivedAlert, type Listener, startListeners } from './alerts-receivers.ts'
import { atMinute, lastMinute, serviceNames, type ServiceName, type Traffic } from './alerts-traffic.ts'
import { thresholds } from './alerts-truth.ts'

/** First and last minute of a mishap. */
type Mishap = readonly [first: number, last: number]

/**
 * nines is killed just after it has notified of the incident, and later during an evaluation without a change, so that the
 * result does not depend on how far it came. Later the source goes away.
 */
export const mishaps: Record<'killed' | 'killedInEvaluation' | 'sourceGone', Mishap> = {
  killed: [37, 38],
  killedInEvaluation: [47, 51],
  sourceGone: [113, 117],
}

export function isWithin([first, last]: Mishap, minute: number): boolean {
  return minute >= first && minute <= last
}

/** True if the minute is evaluated. */
export function isSeen(minute: number): boolean {
  return !Object.values(mishaps).some((mishap) => isWithin(mishap, minute))
}

/** Results of the play. `heard`: by channel, with the minute of arrival. */
export type Played = {
  heard: Record<string, (ReceivedAlert & { minute: number })[]>
  /** Open incidents by channel. */
  incidents: Record<string, string[]>
  alerts: { slo_name: ServiceName; name: string; severity: string; began_at: string; ended_at: string | null }[]
  notifications: { status: string; retry_count: number; channel_type: string; idempotency_key: string }[]
  minutesWithoutAnswer: number[]
}

const account = { email: 'ada@example.com', name: 'Ada', password: 'correct horse', organization_name: 'Ada Inc' }

/** Writes the traffic to a real Prometheus minute by minute, while nines evaluates SLOs over it and notifies receivers. */
export async function play(dir: string, traffic: Record<ServiceName, Traffic>): Promise<Played> {
  const samples = Object.values(traffic).flatMap(({ samples }) => samples)
  const prometheus = await startFedPrometheus(
    join(dir, 'prometheus'),
    samples.toSorted((a, b) => a.atMs - b.atMs),
  )
  const sloNames = new Map<number, string>()
  let minute = 0
  const { listeners, refuseOnce } = await startListeners(() => atMinute(minute))
  const certificate = join(dir, 'certificate.pem')
  writeFileSync(certificate, loopbackCertificate.cert)
  const env = { SOURCE_URL: prometheus.url, PUBLIC_URL: 'https://nines.example', NODE_EXTRA_CA_CERTS: certificate }
  let token = ''
  const start = () => startTimedNines({ dataDir: join(dir, 'nines'), nowMs: atMinute(minute) * 1000, env, token })
  let nines = await start()
  const heard: Played['heard'] = {}
  const minutesWithoutAnswer: number[] = []

  async function setUp(): Promise<void> {
    token = (await nines.call('POST', '/api/v1/auth/register', account)).body.access_token
    await nines.kill()
    nines = await start()
    for (const [id, name] of await createSlos(nines)) sloNames.set(id, name)
    await createRules(nines, sloNames, listeners)
  }

  async function live(): Promise<void> {
    const { killed, killedInEvaluation, sourceGone } = mishaps
    const isFirst = ([first]: Mishap) => minute === first
    const isOver = ([, last]: Mishap) => minute === last + 1
    if (isFirst(sourceGone)) await prometheus.kill()
    if (isOver(sourceGone)) await prometheus.startAgain()
    if (!isWithin(sourceGone, minute)) await prometheus.advanceTo(atMinute(minute))
    if (isOver(killed) || isOver(killedInEvaluation)) nines = await start()
    const evaluate = () => nines.evaluateAt(atMinute(minute) * 1000 + 6000)
    if (isFirst(killedInEvaluation)) await Promise.race([evaluate(), Bun.sleep(15)])
    if (isFirst(killed) || isFirst(killedInEvaluation)) await nines.kill()
    if (isWithin(killed, minute) || isWithin(killedInEvaluation, minute)) return
    const evaluations = (await evaluate()) ?? []
    if (evaluations.length !== serviceNames.length) throw new Error('not every SLO was evaluated')
    if (evaluations.every(({ isFailed }) => isFailed)) minutesWithoutAnswer.push(minute)
    for (const [name, listener] of Object.entries(listeners)) {
      const known = (heard[name] ??= [])
      known.push(
        ...listener
          .heard()
          .slice(known.length)
          .map((one) => ({ ...one, minute })),
      )
    }
  }

  try {
    await prometheus.advanceTo(atMinute(0))
    await setUp()
    refuseOnce(slackRefusals.rollup_error)
    for (; minute <= lastMinute; minute += 1) await live()
    const { alerts } = await get(nines, '/notifications/alerts?state=all&page_size=100')
    const { notifications } = await get(nines, '/notifications/history?page_size=100')
    const incidents = Object.entries(listeners).map(([name, { open }]) => [name, open()])
    return { heard, incidents: Object.fromEntries(incidents), alerts, notifications, minutesWithoutAnswer }
  } finally {
    await nines.kill()
    await Promise.all(Object.values(listeners).map(({ close }) => close()))
  }
}

/** Creates an SLO over 30 days for each service; by id. */
async function createSlos(nines: TimedNines): Promise<[number, string][]> {
  const slos: [number, string][] = []
  for (const name of serviceNames) {
    const slo = { name, target: 99.9, time_window: '30d', metric_type: 'availability' }
    const { id } = await post(nines, '/slos', { ...slo, metric_query: availabilityQuery(name, '5m') })
    const set = await nines.call('PUT', `/api/v1/slos/${id}/alerting`, { budget_thresholds: thresholds })
    if (set.status !== 200) throw new Error(set.text)
    slos.push([id, name])
  }
  return slos
}

/** Creates rules: every channel is notified of each burn rate alert; `webhook` of all events of two SLOs. */
async function createRules(nines: TimedNines, slos: Map<number, string>, listeners: Record<string, Listener>) {
  for (const [name, { channel }] of Object.entries(listeners)) {
    const { data } = await post(nines, '/notifications/channels', { name, ...channel })
    for (const [slo_id, slo] of slos) {
      const isFull = name === 'webhook' && (slo === 'checkout' || slo === 'catalog')
      const more = isFull ? ['violation', 'recovery', 'error_budget_low'] : []
      for (const alert_type of ['burn_rate_too_fast', ...more]) {
        await post(nines, '/notifications/rules', { slo_id, channel_id: data.id, alert_type, notify: false })
      }
    }
  }
}

async function post(nines: TimedNines, path: string, body: object) {
  const answer = await nines.call('POST', `/api/v1${path}`, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

async function get(nines: TimedNines, path: string) {
  const answer = await nines.call('GET', `/api/v1${path}`)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}
