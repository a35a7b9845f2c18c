import type { Clock } from '../clock.ts'
import { AppError, notFound } from '../errors.ts'
import { createTokenBuckets } from '../http/connections/token-buckets.ts'
import type { Log } from '../log.ts'
import { type Conversation, createConversation } from './conversation.ts'
import {
  type Channel,
  confirmation,
  notification,
  sloUpdate,
  type SloUpdate,
  type NotificationUpdate,
  unsubscription,
} from './messages.ts'

/** A connected client. `send` must not wait: the transport cuts off a client that does not take what it is sent. */
export type Client = { send(text: string): void; close(code: number, reason: string): void }

/** A place among the connections of a user, taken before the connection is there. Bytes are a message that is no text. */
export type Seat = Conversation & {
  open(client: Client): void
  close(code: number, reason: string): void
  /** Gives the place back. */
  leave(): void
}

/**
 * Sends connected clients the updates of the SLOs they have subscribed to. It knows no HTTP and no database: it gets the
 * updates by calls, and keeps nothing for who is not connected. A client gets those of an SLO in the order of the calls.
 */
export type Hub = {
  /** Null where the user has 100 places already. */
  join(who: Person): Seat | null
  /** How many connections there are. */
  connections(): number
  /** Whether the SLO has a subscriber. */
  isHeard(sloId: number): boolean
  /** `isEvaluation`: of interest even where the status is what it was. */
  publish(update: SloUpdate, options: { isEvaluation: boolean }): void
  /** To all who have subscribed to the SLO, whichever channel. */
  broadcast(update: NotificationUpdate): void
  /** The SLO is deleted: ends its subscriptions, with a message to each subscriber. */
  drop(sloId: number): void
  /** Closes every connection, and each that still comes. */
  closeAll(code: number, reason: string): void
}

export type Person = { userId: number; organizationId: number }

type Deps = {
  clock: Clock
  log: Log
  /** An SLO of the organization that has not been deleted, with its status. */
  findSlo: (organizationId: number, sloId: number) => Promise<{ status: string } | undefined>
}

/** An SLO that somebody listens to. `status`: the last that was sent. */
type Topic = { status: string; listeners: Map<Member, Channel[]> }
type Member = { id: string; person: Person; client: Client | null; topics: Map<number, Topic> }

export const maxConnections = 100
const maxSubscriptions = 1000
const maxMessagesAMinute = 2000

export function createHub({ clock, log, findSlo }: Deps): Hub {
  const topics = new Map<number, Topic>()
  const members = new Set<Member>()
  const placesOf = new Map<number, number>()
  const budget = createTokenBuckets({ limit: maxMessagesAMinute, clock })
  let lastClient = 0
  let timesDropped = 0
  let ended: { code: number; reason: string } | null = null

  async function subscribe(member: Member, sloId: number, channels: Channel[]): Promise<void> {
    if (!member.topics.has(sloId) && member.topics.size >= maxSubscriptions) {
      throw new AppError('invalid', `At most ${maxSubscriptions} subscriptions for one connection`)
    }
    const slo = await lookUp(member.person.organizationId, sloId)
    if (!slo) throw notFound('SLO')
    if (!members.has(member)) return
    const topic = topics.get(sloId) ?? { status: slo.status, listeners: new Map() }
    topics.set(sloId, topic)
    topic.listeners.set(member, channels)
    member.topics.set(sloId, topic)
    member.client?.send(confirmation(sloId, channels, member.id)) // before any update of the SLO
  }

  /** An SLO that is dropped while it is looked up may be found nevertheless. */
  async function lookUp(organizationId: number, sloId: number): Promise<{ status: string } | undefined> {
    for (;;) {
      const before = timesDropped
      const slo = await findSlo(organizationId, sloId)
      if (timesDropped === before) return slo
    }
  }

  function unsubscribe(member: Member, sloId: number): boolean {
    const topic = member.topics.get(sloId)
    if (!topic) return false
    member.topics.delete(sloId)
    topic.listeners.delete(member)
    if (topic.listeners.size === 0) topics.delete(sloId)
    return true
  }

  function leave(member: Member): void {
    if (!members.delete(member)) return
    for (const sloId of member.topics.keys()) unsubscribe(member, sloId)
    const { userId } = member.person
    const left = (placesOf.get(userId) ?? 0) - 1
    if (left > 0) placesOf.set(userId, left)
    else placesOf.delete(userId)
  }

  return {
    join(person) {
      const places = placesOf.get(person.userId) ?? 0
      if (places >= maxConnections) return null
      placesOf.set(person.userId, places + 1)
      lastClient += 1
      const member: Member = { id: `client_${lastClient}`, person, client: null, topics: new Map() }
      members.add(member)
      const close: Client['close'] = (code, reason) => member.client?.close(code, reason)
      const conversation = createConversation(
        { clock, log, budget },
        {
          clientId: member.id,
          isOpen: () => members.has(member),
          send: (text) => member.client?.send(text),
          close,
          subscribe: (sloId, channels) => subscribe(member, sloId, channels),
          unsubscribe: (sloId) => unsubscribe(member, sloId),
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
    isHeard: (sloId) => topics.has(sloId),
    publish(update, { isEvaluation }) {
      const topic = topics.get(update.sloId)
      if (!topic) return
      const isNew = topic.status !== update.status
      topic.status = update.status
      if (!isNew && !isEvaluation) return
      const text = sloUpdate(update)
      for (const [member, channels] of topic.listeners) {
        if ((isNew && channels.includes('status')) || (isEvaluation && channels.includes('metrics'))) {
          member.client?.send(text)
        }
      }
    },
    broadcast(update) {
      const topic = topics.get(update.slo_id)
      if (!topic) return
      const text = notification(update)
      for (const member of topic.listeners.keys()) member.client?.send(text)
    },
    drop(sloId) {
      timesDropped += 1
      const text = unsubscription(sloId, 'The SLO has been deleted')
      for (const member of topics.get(sloId)?.listeners.keys() ?? []) {
        unsubscribe(member, sloId)
        member.client?.send(text)
      }
    },
    closeAll(code, reason) {
      ended = { code, reason }
      for (const member of members) member.client?.close(code, reason)
    },
  }
}
