import type { Channel } from './messages.ts'

/**
 * Connected client. `send` must not wait: the transport disconnects a client that does not read its messages. If the client has
 * `topics`, `topics.publish` also sends it the texts of the topics that it follows, in order with those sent to it directly.
 */
export type Client = {
  send(text: string): void
  close(code: number, reason: string): void
  topics?: Transport
  follow?(topic: string): void
  unfollow?(topic: string): void
}

/** Transport that sends a text to all clients that follow a topic, at a fraction of the cost of sending it to each. */
export type Transport = { publish(topic: string, text: string): void }

/** Listener of a topic, and what it follows. `followed` null: it is sent each text separately. */
type Listener = { client: Client | null }
type Listening = { channels: Channel[]; followed: string | null }

/** Listeners of an SLO, or of all SLOs of an organization, with their channels. */
export type Topic<L extends Listener> = {
  /** Statuses and states that were sent last, by SLO id. */
  statuses: Map<number, string>
  listeners: ReadonlyMap<L, Listening>
  /** Adds a listener, replacing its previous channels. `isUnicast`: each text is sent separately, if `accepts` allows it. */
  add(listener: L, channels: Channel[], isUnicast: boolean): void
  /** Removes a listener; true if it was listening. */
  remove(listener: L): boolean
  /** Sends a text to listeners of these channels. `accepts` decides for those that are sent texts separately. */
  publish(channels: Channel[], text: string, accepts: (listener: L) => boolean): void
}

/** Creates a topic; no other topic may have its `name`. */
export function createTopic<L extends Listener>(name: string, statuses: Map<number, string>): Topic<L> {
  const listeners = new Map<L, Listening>()
  const unicast = new Map<L, Channel[]>()
  /** Numbers of listeners per transport, by the topic name that they follow. */
  const followers = new Map<string, { channels: Channel[]; counts: Map<Transport, number> }>()

  function follow({ client }: L, channels: Channel[]): string | null {
    if (!client?.topics || !client.follow) return null
    const followed = [name, ...channels.toSorted()].join(':')
    const follower = followers.get(followed) ?? { channels, counts: new Map<Transport, number>() }
    followers.set(followed, follower)
    follower.counts.set(client.topics, (follower.counts.get(client.topics) ?? 0) + 1)
    client.follow(followed)
    return followed
  }

  function unfollow({ client }: L, followed: string): void {
    client?.unfollow?.(followed)
    const follower = followers.get(followed)
    if (!follower || !client?.topics) return
    const remaining = (follower.counts.get(client.topics) ?? 0) - 1
    if (remaining > 0) follower.counts.set(client.topics, remaining)
    else follower.counts.delete(client.topics)
    if (follower.counts.size === 0) followers.delete(followed)
  }

  function remove(listener: L): boolean {
    const listening = listeners.get(listener)
    if (!listening) return false
    listeners.delete(listener)
    unicast.delete(listener)
    if (listening.followed !== null) unfollow(listener, listening.followed)
    return true
  }

  return {
    statuses,
    listeners,
    add(listener, channels, isUnicast) {
      remove(listener)
      const followed = isUnicast ? null : follow(listener, channels)
      if (followed === null) unicast.set(listener, channels)
      listeners.set(listener, { channels, followed })
    },
    remove,
    publish(channels, text, accepts) {
      const includesAny = (subscribed: Channel[]) => subscribed.some((channel) => channels.includes(channel))
      for (const [followed, { channels: subscribed, counts }] of followers) {
        if (includesAny(subscribed)) for (const transport of counts.keys()) transport.publish(followed, text)
      }
      for (const [listener, subscribed] of unicast)
        if (includesAny(subscribed) && accepts(listener)) listener.client?.send(text)
    },
  }
}
