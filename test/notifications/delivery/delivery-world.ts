import { createDelivery, type Delivery } from '../../../src/notifications/delivery/delivery.ts'
import { type Draft, queueNotifications } from '../../../src/notifications/outbox-store.ts'
import type { AttemptRow, ChannelRow, NotificationRow } from '../../../src/db/tables/tables.ts'
import type { TestApp } from '../../support/app.ts'
import { closeLater } from '../../support/closing.ts'
import { webhookTo } from '../../support/good-configurations.ts'
import { aDraft, someAlert, someData } from '../../support/messages.ts'
import { reusedApp } from '../../support/reused-app.ts'
import { type Answerer, type Receiver, startReceiver } from '../../support/receiver.ts'

export type Through = { receiver: Receiver; id: number }
type Queued = Partial<Draft>

export type DeliveryWorld = {
  nines: TestApp
  delivery: Delivery
  /** Creates a webhook channel with its own receiver, which accepts everything unless `answer` is given. */
  channel(answer?: Answerer, configuration?: object, token?: string): Promise<Through>
  /** Queues notifications with these subjects and returns their ids. */
  queue(channelId: number, subjects: string[], draft?: Queued): Promise<number[]>
  row(id: number): Promise<NotificationRow>
  channelRow(id: number): Promise<ChannelRow>
  statuses(): Promise<string[]>
  attempts(id: number): Promise<AttemptRow[]>
  /** Another delivery of the same outbox, as after a restart. */
  restarted(): Delivery
}

export const taken: Answerer = () => new Response('ok')
export const refusing =
  (status: number, headers: Record<string, string> = {}): Answerer =>
  () =>
    Response.json({ error: 'no' }, { status, headers })

/** Receivers are real, the clock is a test clock, and random numbers are always `random`. */
export async function deliveryWorld(
  env: Record<string, string> = {},
  { random = 1, limits }: { random?: number; limits?: Parameters<typeof createDelivery>[0]['limits'] } = {},
): Promise<DeliveryWorld> {
  const settings = { env: { NOTIFY_RETRY_DELAY: '10', NOTIFY_RETRY_FACTOR: '2', ...env } }
  const { nines } = await reusedApp('delivery', settings, prepare)
  const { db } = nines.app
  const restarted = () =>
    createDelivery({ ...nines.app, instanceId: 'test', random: () => random, ...(limits && { limits }) })
  return {
    nines,
    delivery: restarted(),
    restarted,
    async channel(answer = taken, configuration = {}, token) {
      const receiver = startReceiver(answer)
      closeLater(() => void receiver.close())
      const usual = webhookTo(receiver.url)
      const options = token === undefined ? {} : { token }
      const channel = { ...usual, ...configuration }
      const { body } = await nines.call('POST', '/api/v1/notifications/channels', channel, options)
      return { receiver, id: body.data.id }
    },
    async queue(channel_id, subjects, draft = {}) {
      const alert = draft.alert_id === undefined || draft.alert_id === null ? null : someAlert()
      const drafts = subjects.map((subject) => aDraft({ channel_id, subject, data: someData({ alert }), ...draft }))
      const rows = await db.write.transaction().execute((trx) => queueNotifications(trx, drafts, nines.clock.now()))
      return rows.map(({ id }) => id)
    },
    row: (id) => db.read.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    channelRow: (id) => db.read.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    async statuses() {
      const rows = await db.read.selectFrom('notifications').select('status').orderBy('id').execute()
      return rows.map(({ status }) => status)
    },
    attempts: (id) =>
      db.read.selectFrom('notification_attempts').selectAll().where('notification_id', '=', id).orderBy('id').execute(),
  }
}

async function prepare(nines: TestApp): Promise<void> {
  await nines.join('ada')
  const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  await nines.call('POST', '/api/v1/slos', slo)
}

export const subjectsAt = ({ receiver }: Through): string[] => receiver.received.map(({ json }) => json.subject)

/** Resolves once these receivers got so many requests in total. */
export async function arrived(times: number, ...at: Through[]): Promise<void> {
  while (at.flatMap(subjectsAt).length < times) await Bun.sleep(1)
}

/** An answer that waits until the test calls `open`; `requested` resolves at the first request. */
export function gate(): { answer: Answerer; requested: Promise<void>; open: () => void } {
  const requested = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const answer = async () => {
    requested.resolve()
    await opened.promise
    return new Response('ok')
  }
  return { answer, requested: requested.promise, open: () => opened.resolve() }
}
