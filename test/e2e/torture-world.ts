import { type Nines, register } from '../support/process.ts'

/** The first channels are mail. Each watched SLO sends its alerts to `alerted` other channels. */
const world = { channels: 500, mailChannels: 10, each: 20, watched: 10, alerted: 20 }

export const total = world.channels * world.each

const clients = 16

export type Torture = {
  token: string
  /** The SLO of the manual messages. */
  sloId: number
  channelIds: number[]
  /** Paths of the webhooks, by channel. */
  pathOf: Map<number, string>
}

type Addresses = { webhookUrl: string; mailPort: number }

/** Creates an account, channels, an SLO for messages, and SLOs whose alerts go to some of the channels. */
export async function setUp(nines: Nines, { webhookUrl, mailPort }: Addresses): Promise<Torture> {
  const token = await register(nines, 'ada')
  const post = async (path: string, body: object) => {
    const answer = await nines.call('POST', `/api/v1${path}`, body, token)
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  const definition = {
    target: 99.9,
    time_window: '1h',
    metric_type: 'availability',
    metric_query: 'avg_over_time(up[5m])',
  }
  /** Alerts of the status alone, which end five minutes after the last failed minute; those of a budget of 1 h would stay for an hour. */
  const createSlo = async (name: string): Promise<number> => {
    const { id } = await post('/slos', { ...definition, name })
    const alerting = { burn_rate_tiers: [], budget_thresholds: [] }
    await nines.call('PUT', `/api/v1/slos/${id}/alerting`, alerting, token)
    return id
  }
  const sloId = await createSlo('messages')
  const channelIds: number[] = []
  const pathOf = new Map<number, string>()
  for (let number = 0; number < world.channels; number += 1) {
    const channel =
      number < world.mailChannels
        ? { channel_type: 'email', configuration: mailTo(number, mailPort) }
        : { channel_type: 'webhook', configuration: { webhook_url: `${webhookUrl}/${number}` } }
    const { id } = (await post('/notifications/channels', { ...channel, name: `${number}` })).data
    channelIds.push(id)
    if (channel.channel_type === 'webhook') pathOf.set(id, `/${number}`)
  }
  for (let number = 0; number < world.watched; number += 1) {
    const slo_id = await createSlo(`watched ${number}`)
    const first = world.mailChannels + number * world.alerted
    for (const channel_id of channelIds.slice(first, first + world.alerted)) {
      for (const alert_type of ['violation', 'recovery']) {
        const words = { subject: '{{event}} of {{slo_name}} at {{timestamp}}', message: 'SLI {{current_value}} %' }
        await post('/notifications/rules', { slo_id, channel_id, alert_type, ...words, notify: false })
      }
    }
  }
  return { token, sloId, channelIds, pathOf }
}

function mailTo(number: number, port: number) {
  return {
    to: `${number}@example.com`,
    from: 'nines@example.com',
    smtp_server: `127.0.0.1:${port}`,
    smtp_security: 'none',
  }
}

/** Outcomes of requests to queue a notification. `known`: already queued by a request whose answer was lost. */
export type Queued = { acknowledged: number; known: number; cutOff: number }

/** The running nines, or the next one if none runs. */
export type Living = () => Promise<Nines>

/**
 * Queues the messages of all channels, in order of their numbers in each. A request that is cut off is repeated to the next
 * process until it is acknowledged.
 */
export async function queueAll({ token, sloId, channelIds }: Torture, living: Living): Promise<Queued> {
  const queued: Queued = { acknowledged: 0, known: 0, cutOff: 0 }
  const work = Array.from({ length: world.each }, (_, number) => channelIds.map((id) => ({ id, number }))).flat()
  const queueOne = async (id: number, number: number): Promise<void> => {
    const wanted = { slo_id: sloId, channel_id: id, alert_type: 'manual', subject: subjectOf(id, number), message: 'm' }
    for (;;) {
      const life = living()
      const nines = await life
      const answer = await nines.call('POST', '/api/v1/notifications/rules', wanted, token).catch(() => null)
      if (answer?.status === 201) return void (queued.acknowledged += 1)
      if (answer?.status === 409) return void (queued.known += 1)
      if (answer) throw new Error(`not queued: ${answer.text}`)
      if (living() === life) throw new Error('a request was cut off and nobody was killed')
      queued.cutOff += 1
    }
  }
  // Each channel belongs to one client, so that its messages have an order.
  const client = async (own: number) => {
    for (const { id, number } of work) if (id % clients === own) await queueOne(id, number)
  }
  await Promise.all(Array.from({ length: clients }, (_, own) => client(own)))
  return queued
}

function subjectOf(channelId: number, number: number): string {
  return `message ${number} of channel ${channelId}`
}

/** Subjects queued for a channel, in order. */
export function subjectsOf(channelId: number): string[] {
  return Array.from({ length: world.each }, (_, number) => subjectOf(channelId, number))
}
