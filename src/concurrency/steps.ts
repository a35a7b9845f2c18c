/** Work that may be interrupted wherever it yields. */
export type Steps<T> = Generator<void, T, void>

type Job = { steps: Steps<unknown>; signal: AbortSignal | undefined; end(error: unknown, value?: unknown): void }

/** What all such work together may take of one turn of the event loop. */
const turnMs = 3
const addedAtOnce = 100

/** There is one event loop, so there is one queue: by group, each in the order in which its turns come. */
const waiting = new Map<unknown, Job[]>()

/**
 * Does the work in short turns, with everything else in between. A turn is of one group, such as an organization, and the
 * groups take them one after the other, however much one of them has to do. Once `signal` is aborted it ends at the next
 * yield, having run its `finally`, and rejects with the reason.
 */
export async function inTurns<T>(group: unknown, steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end: Job['end'] = (error, value) => (error === undefined ? resolve(value as T) : reject(error))
    if (waiting.size === 0) setImmediate(takeTurn)
    enqueue(group, { steps, signal, end })
  })
}

/** Does the work at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Work that cannot be interrupted, in a turn of its own where the turn is over: many such are not all in one. */
export function* inOneStep<T>(work: () => T): Steps<T> {
  yield
  return work()
}

/** Puts all of one map into another. */
export function* adding<K, V>(some: Iterable<readonly [K, V]>, to: { set(key: K, value: V): unknown }): Steps<void> {
  let added = 0
  for (const [key, value] of some) {
    to.set(key, value)
    added += 1
    if (added % addedAtOnce === 0) yield
  }
}

function enqueue(group: unknown, job: Job): void {
  const jobs = waiting.get(group)
  if (jobs) jobs.push(job)
  else waiting.set(group, [job])
}

function takeTurn(): void {
  const untilMs = performance.now() + turnMs
  for (let [next] = waiting; next && performance.now() < untilMs; [next] = waiting) {
    const [group, [job, ...others]] = next
    waiting.delete(group)
    const isOver = !job || goOn(job, untilMs)
    if (others.length > 0) waiting.set(group, others) // behind the other groups
    if (job && !isOver) enqueue(group, job)
  }
  if (waiting.size > 0) setImmediate(takeTurn)
}

/** Whether it has ended. */
function goOn({ steps, signal, end }: Job, untilMs: number): boolean {
  try {
    if (signal?.aborted) {
      steps.return(undefined)
      end(signal.reason)
      return true
    }
    for (;;) {
      const step = steps.next()
      if (step.done === true) {
        end(undefined, step.value)
        return true
      }
      if (performance.now() >= untilMs) return false
    }
  } catch (error) {
    end(error)
    return true
  }
}
