import type { Channel } from './messages.ts'

/**
 * Connected client. `send` must not wait: the transport disconnects a client that does not read its messages. If it has a
 * `transport`, `transport.publish` also sends it the texts of the groups that it follows, in order with those sent to it directly.
 */
export type Client = {
  send(text: string): void
  close(code: number, reason: string): void
  transport?: Transport
  follow?(group: string): void
  unfollow?(group: string): void
}

/** Transport that sends a text to all clients that follow a group, at a fraction of the cost of sending it to each. */
export type Transport = { publish(group: string, text: string): void }

/** Listener of a topic; `client` null: its connection is not open yet. */
type Listener = { client: Client | null }
/** Channels of a listener, and the name of the group that it follows; null: it is sent each text separately. */
type Listening = { channels: Channel[]; followed: string | null }

/** Listeners of an SLO, or of all SLOs of an organization, with their channels. */
export type Topic<L extends Listener> = {
  /** Status and state of each SLO as last known, in one text, by its id. */
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
  /** Listeners with the same channels, counted per transport, by the name of their group. */
  const groups = new Map<string, { channels: Channel[]; counts: Map<Transport, number> }>()

  function follow({ client }: L, channels: Channel[]): string | null {
    if (!client?.transport || !client.follow) return null
    const followed = [name, ...channels.toSorted()].join(':')
    const group = groups.get(followed) ?? { channels, counts: new Map<Transport, number>() }
    groups.set(followed, group)
    group.counts.set(client.transport, (group.counts.get(client.transport) ?? 0) + 1)
    client.follow(followed)
    return followed
  }

  function unfollow({ client }: L, followed: string): void {
    client?.unfollow?.(followed)
    const group = groups.get(followed)
    if (!group || !client?.transport) return
    const remaining = (group.counts.get(client.transport) ?? 0) - 1
    if (remaining > 0) group.counts.set(client.transport, remaining)
    else group.counts.delete(client.transport)
    if (group.counts.size === 0) groups.delete(followed)
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
      for (const [followed, { channels: subscribed, counts }] of groups) {
        if (includesAny(subscribed)) for (const transport of counts.keys()) transport.publish(followed, text)
      }
      for (const [listener, subscribed] of unicast)
        if (includesAny(subscribed) && accepts(listener)) listener.client?.send(text)
    },
  }
}
