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

/** Place among the connections of a user, reserved before the connection opens. Messages as bytes are binary frames. */
type ConnectionSlot = Conversation & {
  open(client: Client): void
  close(code: number, reason: string): void
  /** Frees the place. */
  leave(): void
}

/**
 * Sends connected clients the updates of the SLOs that they have subscribed to. It uses neither HTTP nor the database: callers
 * pass updates in, and nothing is kept for absent clients. A client gets the updates of an SLO in the order of the calls.
 */
export type Hub = {
  /** Reserves a place; null if the user already has 100. */
  join(person: Person): ConnectionSlot | null
  /** Number of connections. */
  connections(): number
  /** True if a client may be subscribed to the SLO, or to all. */
  mayHaveSubscribers(sloId: number): boolean
  /** Sends an update: to `status` if the status or the state changed, to `metrics` if `isEvaluation`. */
  publish(update: SloUpdate, options: { isEvaluation: boolean }): void
  /** Sends a notification to all subscribers of the SLO, whatever their channels. */
  broadcast(update: NotificationUpdate): void
  /** Sends an acknowledgement to all subscribers of the SLO; of nines itself, to subscribers of all SLOs. */
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
  findSlo: (organizationId: number, sloId: number) => Promise<Stated | undefined>
}

type Stated = Pick<SloUpdate, 'status' | 'now'>

const statusAndState = ({ status: word, now: { state } }: Stated) => `${word} ${state}`

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
  const members = new Set<Subscriber>()
  const placesOf = new Map<number, number>()
  const messageBuckets = createTokenBuckets({ limit: maxMessagesAMinute, clock })
  let clientCount = 0
  let dropCount = 0
  let ended: { code: number; reason: string } | null = null

  async function subscribe(member: Subscriber, subject: Subject, channels: Channel[]): Promise<void> {
    if (!member.topics.has(subject) && member.topics.size >= maxSubscriptions) {
      throw new AppError('invalid', `At most ${maxSubscriptions} subscriptions for one connection`)
    }
    const slo = subject === 'all' ? undefined : await lookUp(member.person.organizationId, subject)
    if (subject !== 'all' && !slo) throw notFound('SLO')
    if (!members.has(member)) return
    const topic = topicOf(member.person, subject, slo && statusAndState(slo))
    member.topics.set(subject, topic)
    member.client?.send(confirmation(subject, channels, member.id)) // before any update
    topic.add(member, channels, subject === 'all' && member.topics.size > 1)
    const allTopic = member.topics.get('all')
    const subscription = allTopic?.listeners.get(member)
    if (allTopic && subscription && subject !== 'all') allTopic.add(member, subscription.channels, true) // single subscriptions take precedence
  }

  function topicOf({ organizationId }: Person, subject: Subject, status?: string): Topic<Subscriber> {
    const [topicMap, key] = subject === 'all' ? [topicsOfAll, organizationId] : [topics, subject]
    const statuses = new Map(status === undefined ? [] : [[key, status]])
    const topic = topicMap.get(key) ?? createTopic<Subscriber>(`${subject === 'all' ? 'all' : 'slo'}:${key}`, statuses)
    topicMap.set(key, topic)
    return topic
  }

  /** Looks up an SLO; again if any SLO was dropped during that, because a lookup may still find a dropped one. */
  async function lookUp(organizationId: number, sloId: number): Promise<Stated | undefined> {
    for (;;) {
      const before = dropCount
      const slo = await findSlo(organizationId, sloId)
      if (dropCount === before) return slo
    }
  }

  function unsubscribe(member: Subscriber, subject: Subject): boolean {
    const topic = member.topics.get(subject)
    if (!topic) return false
    member.topics.delete(subject)
    topic.remove(member)
    if (topic.listeners.size > 0) return true
    if (subject === 'all') topicsOfAll.delete(member.person.organizationId)
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
    for (const member of listening) member.client?.send(text)
  }

  function leave(member: Subscriber): void {
    if (!members.delete(member)) return
    for (const subject of member.topics.keys()) unsubscribe(member, subject)
    const { userId } = member.person
    const remaining = (placesOf.get(userId) ?? 0) - 1
    if (remaining > 0) placesOf.set(userId, remaining)
    else placesOf.delete(userId)
  }

  return {
    join(person) {
      const places = placesOf.get(person.userId) ?? 0
      if (places >= maxConnections) return null
      placesOf.set(person.userId, places + 1)
      clientCount += 1
      const member: Subscriber = { id: `client_${clientCount}`, person, client: null, topics: new Map() }
      members.add(member)
      const close: Client['close'] = (code, reason) => member.client?.close(code, reason)
      const conversation = createConversation(
        { clock, log, budget: messageBuckets },
        {
          clientId: member.id,
          isOpen: () => members.has(member),
          send: (text) => member.client?.send(text),
          close,
          subscribe: (subject, channels) => subscribe(member, subject, channels),
          unsubscribe: (subject) => unsubscribe(member, subject),
        },
      )
      return {
        open(client) {
          member.client = client
          if (ended) close(ended.code, ended.reason)
        },
        ...conversation,
        close,
        leave: () => leave(member),
      }
    },
    connections: () => members.size,
    mayHaveSubscribers: (sloId) => topics.has(sloId) || topicsOfAll.size > 0,
    publish(update, { isEvaluation }) {
      let text: string | undefined
      const sloTopic = topics.get(update.sloId)
      for (const topic of [sloTopic, topicsOfAll.get(update.organizationId)]) {
        if (!topic) continue
        const words = statusAndState(update)
        const isNew = topic.statuses.get(update.sloId) !== words
        topic.statuses.set(update.sloId, words)
        if (!isNew && !isEvaluation) continue
        text ??= sloUpdate(update)
        const on = isNew && isEvaluation ? bothChannels : isNew ? statusChannel : metricsChannel
        topic.publish(on, text, (member) => topic === sloTopic || !member.topics.has(update.sloId))
      }
    },
    broadcast: (update) => sendToListeners(update, () => notification(update)),
    broadcastAcknowledgement: (update) => sendToListeners(update, () => acknowledgement(update)),
    broadcastIncident: (update, event) => sendToListeners(update, () => incident(update, event)),
    drop(sloId) {
      dropCount += 1
      const text = unsubscription(sloId, 'The SLO has been deleted')
      const listening = new Set(topicsWith(sloId).flatMap(({ listeners }) => [...listeners.keys()]))
      for (const member of listening) {
        unsubscribe(member, sloId)
        member.client?.send(text)
      }
      for (const { statuses } of topicsOfAll.values()) statuses.delete(sloId)
    },
    closeAll(code, reason) {
      ended = { code, reason }
      for (const member of members) member.client?.close(code, reason)
    },
  }
}
