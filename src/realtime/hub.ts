import type { Clock } from '../clock.ts'
import { AppError, notFound } from '../errors.ts'
import { createTokenBuckets } from '../http/connections/token-buckets.ts'
import type { Log } from '../log.ts'
import { type Conversation, createConversation } from './conversation.ts'
import {
  acknowledgement,
  type AcknowledgementUpdate,
  type Channel,
  confirmation,
  incident,
  type IncidentEvent,
  type IncidentUpdate,
  notification,
  sloUpdate,
  type Subject,
  type SloUpdate,
  type NotificationUpdate,
  unsubscription,
} from './messages.ts'
import { type Client, createTopic, type Topic } from './topics.ts'

/** Slot for a connection of a user, reserved before the connection opens. `Uint8Array` messages are binary frames. */
type ConnectionSlot = Conversation & {
  open(client: Client): void
  close(code: number, reason: string): void
  /** Frees the slot. */
  leave(): void
}

/**
 * Sends connected clients the updates of the SLOs that they have subscribed to. It uses neither HTTP nor the database: callers
 * pass updates in, and nothing is kept for absent clients. A client gets the updates of an SLO in the order of the calls.
 */
export type Hub = {
  /** Reserves a slot; null if the user already has 100. */
  join(person: Person): ConnectionSlot | null
  /** Number of connections. */
  connections(): number
  /** True if a client may be subscribed to the SLO, or to all. */
  mayHaveSubscribers(sloId: number): boolean
  /** Sends an update: to `status` if the status or the state changed, to `metrics` if `isEvaluation`. */
  publish(update: SloUpdate, options: { isEvaluation: boolean }): void
  /** Sends a notification to all subscribers of the SLO, whatever their channels. */
  broadcast(update: NotificationUpdate): void
  /** Sends an acknowledgement to all subscribers of the SLO, or to subscribers of all SLOs if the alert belongs to no SLO. */
  broadcastAcknowledgement(update: AcknowledgementUpdate): void
  /** Sends a change of an incident to all subscribers of the SLO, whatever their channels. */
  broadcastIncident(update: IncidentUpdate, event: IncidentEvent): void
  /** Ends the subscriptions of a deleted SLO, with a message to each subscriber. */
  drop(sloId: number): void
  /** Closes every connection, and each one that opens later. */
  closeAll(code: number, reason: string): void
}

export type Person = { userId: number; organizationId: number }

type Deps = {
  clock: Clock
  log: Log
  /** Finds an SLO of the organization that has not been deleted, with its status and state. */
  findSlo: (organizationId: number, sloId: number) => Promise<CurrentStatus | undefined>
}

type CurrentStatus = Pick<SloUpdate, 'status' | 'stateFields'>

const statusAndState = ({ status, stateFields: { state } }: CurrentStatus) => `${status} ${state}`

type Subscriber = { id: string; person: Person; client: Client | null; topics: Map<Subject, Topic<Subscriber>> }

export const maxConnections = 100
const maxSubscriptions = 1000
const maxMessagesAMinute = 2000

const statusChannel: Channel[] = ['status']
const metricsChannel: Channel[] = ['metrics']
const bothChannels: Channel[] = [...statusChannel, ...metricsChannel]

export function createHub({ clock, log, findSlo }: Deps): Hub {
  const topics = new Map<number, Topic<Subscriber>>()
  const topicsOfAll = new Map<number, Topic<Subscriber>>() // by organization
  const subscribers = new Set<Subscriber>()
  const slotsByUser = new Map<number, number>()
  const messageBuckets = createTokenBuckets({ limit: maxMessagesAMinute, clock })
  let clientCount = 0
  let dropCount = 0
  let closedWith: { code: number; reason: string } | null = null

  async function subscribe(subscriber: Subscriber, subject: Subject, channels: Channel[]): Promise<void> {
    if (!subscriber.topics.has(subject) && subscriber.topics.size >= maxSubscriptions) {
      throw new AppError('invalid', `At most ${maxSubscriptions} subscriptions for one connection`)
    }
    const slo = subject === 'all' ? undefined : await lookUp(subscriber.person.organizationId, subject)
    if (subject !== 'all' && !slo) throw notFound('SLO')
    if (!subscribers.has(subscriber)) return
    const topic = topicOf(subscriber.person, subject, slo && statusAndState(slo))
    subscriber.topics.set(subject, topic)
    subscriber.client?.send(confirmation(subject, channels, subscriber.id)) // before any update
    topic.add(subscriber, channels, subject === 'all' && subscriber.topics.size > 1)
    const allTopic = subscriber.topics.get('all')
    const subscription = allTopic?.listeners.get(subscriber)
    // from then on the client gets the texts of `all` one by one, without those of SLOs that it has subscribed to separately
    if (allTopic && subscription && subject !== 'all') allTopic.add(subscriber, subscription.channels, true)
  }

  function topicOf({ organizationId }: Person, subject: Subject, status?: string): Topic<Subscriber> {
    const [topicMap, key] = subject === 'all' ? [topicsOfAll, organizationId] : [topics, subject]
    const statuses = new Map(status === undefined ? [] : [[key, status]])
    const topic = topicMap.get(key) ?? createTopic<Subscriber>(`${subject === 'all' ? 'all' : 'slo'}:${key}`, statuses)
    topicMap.set(key, topic)
    return topic
  }

  /** Looks up an SLO; again if any SLO was dropped during that, because a lookup may still find a dropped one. */
  async function lookUp(organizationId: number, sloId: number): Promise<CurrentStatus | undefined> {
    for (;;) {
      const dropsBefore = dropCount
      const slo = await findSlo(organizationId, sloId)
      if (dropCount === dropsBefore) return slo
    }
  }

  function unsubscribe(subscriber: Subscriber, subject: Subject): boolean {
    const topic = subscriber.topics.get(subject)
    if (!topic) return false
    subscriber.topics.delete(subject)
    topic.remove(subscriber)
    if (topic.listeners.size > 0) return true
    if (subject === 'all') topicsOfAll.delete(subscriber.person.organizationId)
    else topics.delete(subject)
    return true
  }

  /** Topics that an SLO belongs to: its own, and those of all SLOs to which it has been published. */
  function topicsWith(sloId: number): Topic<Subscriber>[] {
    const sloTopic = topics.get(sloId)
    const organizationTopics = [...topicsOfAll.values()].filter(({ statuses }) => statuses.has(sloId))
    return sloTopic ? [sloTopic, ...organizationTopics] : organizationTopics
  }

  function sendToListeners(change: { slo_id: number | null; organization_id: number }, write: () => string): void {
    const subscribedTopics = [
      change.slo_id === null ? undefined : topics.get(change.slo_id),
      topicsOfAll.get(change.organization_id),
    ]
    const listening = new Set(subscribedTopics.flatMap((topic) => [...(topic?.listeners.keys() ?? [])]))
    if (listening.size === 0) return
    const text = write()
    for (const subscriber of listening) subscriber.client?.send(text)
  }

  function leave(subscriber: Subscriber): void {
    if (!subscribers.delete(subscriber)) return
    for (const subject of subscriber.topics.keys()) unsubscribe(subscriber, subject)
    const { userId } = subscriber.person
    const remaining = (slotsByUser.get(userId) ?? 0) - 1
    if (remaining > 0) slotsByUser.set(userId, remaining)
    else slotsByUser.delete(userId)
  }

  return {
    join(person) {
      const slots = slotsByUser.get(person.userId) ?? 0
      if (slots >= maxConnections) return null
      slotsByUser.set(person.userId, slots + 1)
      clientCount += 1
      const subscriber: Subscriber = { id: `client_${clientCount}`, person, client: null, topics: new Map() }
      subscribers.add(subscriber)
      const close: Client['close'] = (code, reason) => subscriber.client?.close(code, reason)
      const conversation = createConversation(
        { clock, log, budget: messageBuckets },
        {
          clientId: subscriber.id,
          isOpen: () => subscribers.has(subscriber),
          send: (text) => subscriber.client?.send(text),
          close,
          subscribe: (subject, channels) => subscribe(subscriber, subject, channels),
          unsubscribe: (subject) => unsubscribe(subscriber, subject),
        },
      )
      return {
        open(client) {
          subscriber.client = client
          if (closedWith) close(closedWith.code, closedWith.reason)
        },
        ...conversation,
        close,
        leave: () => leave(subscriber),
      }
    },
    connections: () => subscribers.size,
    mayHaveSubscribers: (sloId) => topics.has(sloId) || topicsOfAll.size > 0,
    publish(update, { isEvaluation }) {
      let text: string | undefined
      const sloTopic = topics.get(update.sloId)
      for (const topic of [sloTopic, topicsOfAll.get(update.organizationId)]) {
        if (!topic) continue
        const status = statusAndState(update)
        const isNew = topic.statuses.get(update.sloId) !== status
        topic.statuses.set(update.sloId, status)
        if (!isNew && !isEvaluation) continue
        text ??= sloUpdate(update)
        const channels = isNew && isEvaluation ? bothChannels : isNew ? statusChannel : metricsChannel
        topic.publish(channels, text, (subscriber) => topic === sloTopic || !subscriber.topics.has(update.sloId))
      }
    },
    broadcast: (update) => sendToListeners(update, () => notification(update)),
    broadcastAcknowledgement: (update) => sendToListeners(update, () => acknowledgement(update)),
    broadcastIncident: (update, event) => sendToListeners(update, () => incident(update, event)),
    drop(sloId) {
      dropCount += 1
      const text = unsubscription(sloId, 'The SLO has been deleted')
      const listening = new Set(topicsWith(sloId).flatMap(({ listeners }) => [...listeners.keys()]))
      for (const subscriber of listening) {
        unsubscribe(subscriber, sloId)
        subscriber.client?.send(text)
      }
      for (const { statuses } of topicsOfAll.values()) statuses.delete(sloId)
    },
    closeAll(code, reason) {
      closedWith = { code, reason }
      for (const subscriber of subscribers) subscriber.client?.close(code, reason)
    },
  }
}
