import type { Channel } from './messages.ts'

/**
 * A connected client. `send` must not wait: the transport cuts off a client that does not take what it is sent. Where it has
 * topics, it is sent by `topics.publish` what is published to those that it follows, in order with what it is sent by itself.
 */
export type Client = {
  send(text: string): void
  close(code: number, reason: string): void
  topics?: Transport
  follow?(topic: string): void
  unfollow?(topic: string): void
}

/** Sends a text to all clients that follow a topic, which costs a fraction of sending it to each. */
export type Transport = { publish(topic: string, text: string): void }

/** What is known of a client here. `apart`: it is sent everything by itself. */
type Listener = { client: Client | null }
type Listening = { channels: Channel[]; followed: string | null }

/** Who listens to an SLO, or to all of an organization, and to which channels. */
export type Topic<L extends Listener> = {
  /** The last that were sent, by SLO id. */
  statuses: Map<number, string>
  listeners: ReadonlyMap<L, Listening>
  /** In place of what it listened to before; `alone`: it is sent a text only after `isMeant` was asked. */
  add(listener: L, channels: Channel[], alone: boolean): void
  /** Whether it has listened. */
  remove(listener: L): boolean
  /** To those who listen to one of the channels. */
  publish(channels: Channel[], text: string, isMeant: (listener: L) => boolean): void
}

/** Where `name` is that of no other topic. */
export function createTopic<L extends Listener>(name: string, statuses: Map<number, string>): Topic<L> {
  const listeners = new Map<L, Listening>()
  const alone = new Map<L, Channel[]>()
  /** How many follow by their transport, by what they listen to. */
  const followers = new Map<string, { channels: Channel[]; counts: Map<Transport, number> }>()

  function follow({ client }: L, channels: Channel[]): string | null {
    if (!client?.topics || !client.follow) return null
    const followed = [name, ...channels.toSorted()].join(':')
    const known = followers.get(followed) ?? { channels, counts: new Map<Transport, number>() }
    followers.set(followed, known)
    known.counts.set(client.topics, (known.counts.get(client.topics) ?? 0) + 1)
    client.follow(followed)
    return followed
  }

  function unfollow({ client }: L, followed: string): void {
    client?.unfollow?.(followed)
    const known = followers.get(followed)
    if (!known || !client?.topics) return
    const left = (known.counts.get(client.topics) ?? 0) - 1
    if (left > 0) known.counts.set(client.topics, left)
    else known.counts.delete(client.topics)
    if (known.counts.size === 0) followers.delete(followed)
  }

  function remove(listener: L): boolean {
    const listening = listeners.get(listener)
    if (!listening) return false
    listeners.delete(listener)
    alone.delete(listener)
    if (listening.followed !== null) unfollow(listener, listening.followed)
    return true
  }

  return {
    statuses,
    listeners,
    add(listener, channels, isAlone) {
      remove(listener)
      const followed = isAlone ? null : follow(listener, channels)
      if (followed === null) alone.set(listener, channels)
      listeners.set(listener, { channels, followed })
    },
    remove,
    publish(channels, text, isMeant) {
      const isHeard = (heard: Channel[]) => heard.some((channel) => channels.includes(channel))
      for (const [followed, { channels: heard, counts }] of followers) {
        if (isHeard(heard)) for (const transport of counts.keys()) transport.publish(followed, text)
      }
      for (const [listener, heard] of alone) if (isHeard(heard) && isMeant(listener)) listener.client?.send(text)
    },
  }
}
