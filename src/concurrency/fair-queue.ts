type Options = { max: number; maxOfGroup: number }

/**
 * Runs at most `max` tasks at once, at most `maxOfGroup` of them of one group. A free slot is given to the group with the fewest
 * running tasks, of those to the one whose last task began first, and in it to the task that has waited longest. If the tasks of
 * one group hang, others still have slots; if several such groups fill all slots, the first that is released goes to another.
 */
type FairQueue<Group> = {
  /** Number of tasks that run or wait. */
  readonly size: number
  /** The number of tasks of a group that run or wait. */
  sizeOf(group: Group): number
  /** Runs the task once it has a slot. Rejects with the signal's reason if it is aborted while the task waits. */
  run<T>(group: Group, task: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * Takes a slot for work that does not end with a promise. Resolves with a function that releases it; a second call is
   * ignored.
   */
  enter(group: Group, signal?: AbortSignal): Promise<() => void>
  /** Resolves once nothing runs or waits. */
  drain(): Promise<void>
}

export function createFairQueue<Group extends {}>({ max, maxOfGroup }: Options): FairQueue<Group> {
  const running = new Map<Group, number>()
  /** Number of the last task that began, by group; a group of which nothing runs or waits has none. */
  const lastBegun = new Map<Group, number>()
  const waiting = new Map<Group, Set<() => void>>()
  let idle: PromiseWithResolvers<void> | undefined
  let total = 0
  let size = 0
  let beginCount = 0

  const countOf = (group: Group) => running.get(group) ?? 0

  const hasRoom = (group: Group) => total < max && countOf(group) < maxOfGroup

  function nextGroup(): Group | undefined {
    let next: Group | undefined
    for (const group of waiting.keys())
      if (hasRoom(group) && (next === undefined || isBefore(group, next))) next = group
    return next
  }

  function isBefore(one: Group, other: Group): boolean {
    const [count, countOfOther] = [countOf(one), countOf(other)]
    return count === countOfOther ? (lastBegun.get(one) ?? 0) < (lastBegun.get(other) ?? 0) : count < countOfOther
  }

  function take(group: Group): void {
    running.set(group, countOf(group) + 1)
    lastBegun.set(group, (beginCount += 1))
    total += 1
  }

  function leave(group: Group): void {
    total -= 1
    running.set(group, countOf(group) - 1)
    dropIdle(group)
    noteEnd()
    for (let next = nextGroup(); next !== undefined; next = nextGroup()) startOne(next)
  }

  function dropIdle(group: Group): void {
    if (countOf(group) > 0) return
    running.delete(group)
    if (!waiting.has(group)) lastBegun.delete(group)
  }

  function startOne(group: Group): void {
    const starts = waiting.get(group) ?? new Set()
    const [start] = starts
    waiting.delete(group)
    if (!start) return dropIdle(group) // all have given up
    starts.delete(start)
    if (starts.size > 0) waiting.set(group, starts)
    take(group)
    start()
  }

  function noteEnd(): void {
    size -= 1
    if (size > 0) return
    idle?.resolve()
    idle = undefined
  }

  /** The slot is taken before the promise resolves, so that a newcomer cannot take it. */
  function wait(group: Group, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const starts = waiting.get(group) ?? new Set()
    const start = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      starts.delete(start)
      noteEnd()
      reject(signal?.reason)
    }
    waiting.set(group, starts.add(start))
    signal?.addEventListener('abort', giveUp, { once: true })
    return promise
  }

  async function enter(group: Group, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    size += 1
    if (hasRoom(group)) take(group)
    else await wait(group, signal)
    let holds = true
    return () => {
      if (holds) leave(group)
      holds = false
    }
  }

  return {
    get size() {
      return size
    },
    sizeOf: (group) => countOf(group) + (waiting.get(group)?.size ?? 0),
    enter,
    async run(group, task, signal) {
      const end = await enter(group, signal)
      try {
        return await task()
      } finally {
        end()
      }
    },
    async drain() {
      if (size > 0) await (idle ??= Promise.withResolvers<void>()).promise
    },
  }
}
