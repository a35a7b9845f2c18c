import type { Receiver } from './receiver.ts'
import { signUp, startAlertmanager, startNines } from '../support/processes.ts'

/** System that sends notifications to the receiver, each in a separate request. */
export type Notifier = {
  pid: number
  /** Queues a notification for a channel; resolves when it is acknowledged. */
  queue(name: string, channel: number): Promise<unknown>
  /** Returns a function that queues all of these with one request. */
  together(names: string[], channels: number): Promise<() => Promise<unknown>>
  stop(): Promise<void>
}

/** nines, with messages of one SLO to webhooks. `together` retries messages that the receiver refused before. */
export async function ninesTo(receiver: Receiver, channels: number): Promise<Notifier> {
  const nines = await startNines({ NOTIFY_DEDUP_WINDOW: '0' })
  const { send } = await signUp(nines)
  const slo = { name: 'bench', target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  const { id: slo_id } = await send('POST', '/api/v1/slos', slo)
  const ids: number[] = []
  for (let channel = 0; channel < channels; channel += 1) {
    const configuration = { webhook_url: `${receiver.url}/${channel}` }
    const hook = { name: `${channel}`, channel_type: 'webhook', configuration }
    ids.push((await send('POST', '/api/v1/notifications/channels', hook)).data['id'] ?? 0)
  }
  const queue = (name: string, channel: number) => {
    const rule = { slo_id, channel_id: ids[channel], alert_type: 'manual', subject: name, message: 'a message' }
    return send('POST', '/api/v1/notifications/rules', rule)
  }
  const failed = async () => (await send('GET', '/api/v1/notifications/statistics')).data['failed_notifications']
  return {
    pid: nines.pid,
    queue,
    async together(names, spread) {
      receiver.answer(404)
      for (const [at, name] of names.entries()) await queue(name, at % spread)
      while ((await failed()) !== names.length) await Bun.sleep(50)
      receiver.answer(200)
      return () => send('POST', '/api/v1/notifications/retry-failed', { max_age_seconds: 86_400 })
    },
    stop: nines.stop,
  }
}

/** Debian's Alertmanager, with a separate group for every alert and no group wait. */
export async function alertmanagerTo(receiver: Receiver, channels: number): Promise<Notifier> {
  const numbers = Array.from({ length: channels }, (_, channel) => String(channel))
  const running = await startAlertmanager({
    route: {
      receiver: '0',
      group_by: ['...'],
      group_wait: '0s',
      routes: numbers.map((channel) => ({ receiver: channel, matchers: [`channel="${channel}"`] })),
    },
    receivers: numbers.map((channel) => ({
      name: channel,
      webhook_configs: [{ url: `${receiver.url}/${channel}`, send_resolved: false }],
    })),
  })
  const post = async (alerts: object[]) => {
    const response = await fetch(`${running.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    })
    if (!response.ok) throw new Error(`Alertmanager: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
  }
  const alert = (name: string, channel: number) => ({
    labels: { alertname: 'bench', name, channel: String(channel) },
    annotations: { summary: name, description: 'a message' },
  })
  return {
    pid: running.pid,
    queue: (name, channel) => post([alert(name, channel)]),
    together: async (names, spread) => () => post(names.map((name, at) => alert(name, at % spread))),
    stop: running.stop,
  }
}
