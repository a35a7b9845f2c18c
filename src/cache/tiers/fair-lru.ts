import { LRUCache } from 'lru-cache'

/** `rank`: the largest owner has the most values (`size`) or the heaviest ones (`weight`). Weights are whole and above 0. */
type Options<V> = { rank: 'size' | 'weight'; weigh: (value: V) => number }

type Used<V> = { value: V; use: number }
/** `holds`: number or weight of the values, by `rank`. `oldestUse`: use of the least recently used value. */
type Share<K extends {}, V extends {}> = {
  owner: number
  values: LRUCache<K, Used<V>>
  holds: number
  oldestUse: number
}

/**
 * Values of several owners, each owner's from the least to the most recently used. If a value must be evicted, it is taken from
 * the owner that holds most: owners that hold little keep it whatever others do, and a single owner may use all the room.
 */
export function createFairLru<K extends {}, V extends {}>({ rank, weigh }: Options<V>) {
  const shares = new Map<number, Share<K, V>>()
  let [size, weight, uses] = [0, 0, 0]

  function shareOf(owner: number): Share<K, V> {
    const known = shares.get(owner)
    if (known) return known
    const sizeCalculation = ({ value }: Used<V>) => weigh(value)
    const values = new LRUCache<K, Used<V>>({ maxSize: Number.MAX_SAFE_INTEGER, sizeCalculation })
    const share = { owner, values, holds: 0, oldestUse: Infinity }
    shares.set(owner, share)
    return share
  }

  function change<T>(share: Share<K, V>, work: () => T): T {
    const { owner, values } = share
    const former = { size: values.size, weight: values.calculatedSize }
    const result = work()
    size += values.size - former.size
    weight += values.calculatedSize - former.weight
    share.holds = rank === 'size' ? values.size : values.calculatedSize
    share.oldestUse = oldestUseOf(share)
    if (values.size === 0) shares.delete(owner)
    return result
  }

  function evictFrom(owner: number): V | undefined {
    const share = shares.get(owner)
    return share && change(share, () => share.values.pop())?.value
  }

  const of = (owner: number) => [...(shares.get(owner)?.values.values() ?? [])].map(({ value }) => value)

  return {
    get size() {
      return size
    },
    get weight() {
      return weight
    },
    /** Counts as a use. */
    get(owner: number, key: K): V | undefined {
      const share = shares.get(owner)
      const used = share?.values.get(key)
      if (!share || !used) return undefined
      const wasOldest = used.use === share.oldestUse
      used.use = ++uses
      if (wasOldest) share.oldestUse = oldestUseOf(share)
      return used.value
    },
    peek: (owner: number, key: K) => shares.get(owner)?.values.peek(key)?.value,
    /** Adds a value as the most recently used. */
    set(owner: number, key: K, value: V) {
      const share = shareOf(owner)
      change(share, () => share.values.set(key, { value, use: ++uses }))
    },
    delete(owner: number, key: K) {
      const share = shares.get(owner)
      if (share) change(share, () => share.values.delete(key))
    },
    /** Removes the least recently used value of the owner that holds most; of several such owners, the value used longest ago. */
    evictFromLargest(): V | undefined {
      let largest: Share<K, V> | undefined
      for (const share of shares.values()) if (!largest || isEvictedBefore(share, largest)) largest = share
      return largest && evictFrom(largest.owner)
    },
    evictFrom,
    weightOf: (owner: number) => shares.get(owner)?.values.calculatedSize ?? 0,
    owners: () => [...shares.keys()],
    of,
    all: () => [...shares.keys()].flatMap(of),
  }
}

function isEvictedBefore(
  one: { holds: number; oldestUse: number },
  other: { holds: number; oldestUse: number },
): boolean {
  return one.holds > other.holds || (one.holds === other.holds && one.oldestUse < other.oldestUse)
}

function oldestUseOf<K extends {}, V extends {}>({ values }: Share<K, V>): number {
  return values.rvalues().next().value?.use ?? Infinity
}
