import { LRUCache } from 'lru-cache'

/**
 * Values of several owners, of each from the least to the most recently used. Where something has to go, the owner that
 * holds most gives it: owners that hold little keep it whatever others do, and one alone may have all the room.
 */
export type FairLru<K extends {}, V extends {}> = {
  readonly size: number
  readonly weight: number
  /** A use. */
  get(owner: number, key: K): V | undefined
  peek(owner: number, key: K): V | undefined
  /** Puts it in as the last used. */
  set(owner: number, key: K, value: V): void
  delete(owner: number, key: K): void
  /** Takes out what its owner used least, of the owner that holds most; of several such, what was used longest ago. */
  takeOfLargest(): V | undefined
  takeOf(owner: number): V | undefined
  weightOf(owner: number): number
  owners(): number[]
  of(owner: number): V[]
  clear(): void
}

/** `rank`: whether the owner of most values holds most, or the one whose values weigh most. Weights are whole and above 0. */
type Options<V> = { rank: 'size' | 'weight'; weigh: (value: V) => number }

type Used<V> = { value: V; use: number }
/** `oldestUse`: of the value used least. `place`: in the heap. */
type Share<K extends {}, V extends {}> = {
  owner: number
  values: LRUCache<K, Used<V>>
  oldestUse: number
  place: number
}

export function createFairLru<K extends {}, V extends {}>({ rank, weigh }: Options<V>): FairLru<K, V> {
  const shares = new Map<number, Share<K, V>>()
  const heap: Share<K, V>[] = [] // the one to take from first: each change costs the logarithm of how many owners there are
  let [size, weight, uses] = [0, 0, 0]

  const heldBy = ({ values }: Share<K, V>) => (rank === 'size' ? values.size : values.calculatedSize)

  function isBefore(one: Share<K, V>, other: Share<K, V>): boolean {
    const more = heldBy(one) - heldBy(other)
    return more > 0 || (more === 0 && one.oldestUse < other.oldestUse)
  }

  function place(share: Share<K, V>, at: number): void {
    heap[at] = share
    share.place = at
  }

  /** Finds the place of a share that has changed. */
  function settle(share: Share<K, V>): void {
    let at = share.place
    for (let above = heap[(at - 1) >> 1]; at > 0 && above && isBefore(share, above); above = heap[(at - 1) >> 1]) {
      place(above, at)
      at = (at - 1) >> 1
    }
    for (;;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
      const below = left && right && isBefore(right, left) ? right : left
      if (!below || !isBefore(below, share)) break
      const from = below.place
      place(below, at)
      at = from
    }
    place(share, at)
  }

  function shareOf(owner: number): Share<K, V> {
    const known = shares.get(owner)
    if (known) return known
    const values = new LRUCache<K, Used<V>>({
      maxSize: Number.MAX_SAFE_INTEGER,
      sizeCalculation: ({ value }) => weigh(value),
    })
    const share = { owner, values, oldestUse: Infinity, place: heap.length }
    shares.set(owner, share)
    heap.push(share)
    return share
  }

  /** After a change of what a share holds, or of its order. */
  function changed(share: Share<K, V>): void {
    const { owner, values } = share
    const oldest = values.rvalues().next().value
    if (oldest) {
      share.oldestUse = oldest.use
      settle(share)
      return
    }
    shares.delete(owner)
    const last = heap.pop()
    if (!last || last === share) return
    place(last, share.place)
    settle(last)
  }

  function change<T>(share: Share<K, V>, work: () => T): T {
    const before = { size: share.values.size, weight: share.values.calculatedSize }
    const done = work()
    size += share.values.size - before.size
    weight += share.values.calculatedSize - before.weight
    changed(share)
    return done
  }

  function takeOf(owner: number): V | undefined {
    const share = shares.get(owner)
    return share && change(share, () => share.values.pop())?.value
  }

  return {
    get size() {
      return size
    },
    get weight() {
      return weight
    },
    get(owner, key) {
      const share = shares.get(owner)
      const used = share?.values.get(key)
      if (!share || !used) return undefined
      const wasOldest = used.use === share.oldestUse
      used.use = ++uses
      if (wasOldest) changed(share)
      return used.value
    },
    peek: (owner, key) => shares.get(owner)?.values.peek(key)?.value,
    set(owner, key, value) {
      const share = shareOf(owner)
      change(share, () => share.values.set(key, { value, use: ++uses }))
    },
    delete(owner, key) {
      const share = shares.get(owner)
      if (share) change(share, () => share.values.delete(key))
    },
    takeOfLargest: () => (heap[0] ? takeOf(heap[0].owner) : undefined),
    takeOf,
    weightOf: (owner) => shares.get(owner)?.values.calculatedSize ?? 0,
    owners: () => [...shares.keys()],
    of: (owner) => [...(shares.get(owner)?.values.values() ?? [])].map(({ value }) => value),
    clear() {
      shares.clear()
      heap.length = 0
      size = 0
      weight = 0
    },
  }
}
