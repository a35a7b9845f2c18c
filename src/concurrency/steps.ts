/** Work that may be interrupted wherever it yields. */
export type Steps<T> = Generator<void, T, void>

/** Likewise; where it yields a promise, it goes on in a turn after that has resolved, and throws there what it rejects with. */
export type AsyncSteps<T> = Generator<void | Promise<unknown>, T, void>

type Job = {
  group: unknown
  steps: AsyncSteps<unknown>
  signal: AbortSignal | undefined
  end(error: unknown, value?: unknown): void
  /** An error to throw where it continues. */
  failure?: { error: unknown } | undefined
}

/** Time that all such work together, and likewise all requests that begin, may take of one turn of the event loop. */
const turnMs = 3
const addedAtOnce = 100

/** By group, each in the order in which its turns come. */
type Queues<T> = Map<unknown, T[]>

/** There is one event loop, so there is one queue of work, and one of requests that wait to begin. */
const waiting: Queues<Job> = new Map()
const starts: Queues<() => void> = new Map()

/** When the first request of the present turn of the event loop began. */
let firstStartMs: number | undefined

/**
 * Does the work in short turns, with everything else in between. A turn is of one group, such as an organization, and the
 * groups take them one after the other, however much one of them has to do. Once `signal` is aborted it ends at the next
 * yield, having run its `finally`, and rejects with the reason.
 */
export async function inTurns<T>(group: unknown, steps: AsyncSteps<T>, signal?: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end: Job['end'] = (error, value) => (error === undefined ? resolve(value as T) : reject(error))
    schedule({ group, steps, signal, end })
  })
}

/** Gives the result of a promise as steps; a statement is run where this is called, in the turn of the steps around it. */
export function* resultOf<T>(promise: Promise<T>): AsyncSteps<T> {
  const results: T[] = []
  yield promise.then((result) => results.push(result))
  return results[0] as T
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

/** True if a request may begin in this turn of the event loop: those before it have taken little, and none waits. */
export function mayStart(): boolean {
  if (starts.size > 0) return false
  const nowMs = performance.now()
  if (firstStartMs !== undefined) return nowMs - firstStartMs < turnMs
  firstStartMs = nowMs
  setImmediate(() => (firstStartMs = undefined))
  return true
}

/**
 * Resolves in a turn of the event loop in which no other request that waits begins. Groups, such as organizations, take turns: what
 * is requested many times at once does not add up to one long turn.
 */
export async function nextStart(group: unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (starts.size === 0) setImmediate(startOne)
  enqueue(starts, group, resolve)
  return promise
}

function startOne(): void {
  const start = takeNext(starts)
  if (starts.size > 0) setImmediate(startOne)
  start?.()
}

/** Schedules a job as the last of its group. */
function schedule(job: Job): void {
  if (waiting.size === 0) setImmediate(takeTurn)
  enqueue(waiting, job.group, job)
}

function takeTurn(): void {
  const untilMs = performance.now() + turnMs
  while (waiting.size > 0 && performance.now() < untilMs) {
    const job = takeNext(waiting)
    if (job && goOn(job, untilMs)) enqueue(waiting, job.group, job)
  }
  if (waiting.size > 0) setImmediate(takeTurn)
}

function enqueue<T>(queues: Queues<T>, group: unknown, one: T): void {
  const queue = queues.get(group)
  if (queue) queue.push(one)
  else queues.set(group, [one])
}

/** Takes the first of the group whose turn it is, which goes behind the other groups. */
function takeNext<T>(queues: Queues<T>): T | undefined {
  const [next] = queues
  if (!next) return undefined
  const [group, [first, ...others]] = next
  queues.delete(group)
  if (others.length > 0) queues.set(group, others)
  return first
}

/** True if it continues in a later turn; while it waits for a promise, that schedules it. */
function goOn(job: Job, untilMs: number): boolean {
  const { steps, signal, end, failure } = job
  try {
    if (signal?.aborted) {
      steps.return(undefined)
      end(signal.reason)
      return false
    }
    job.failure = undefined
    let step = failure ? steps.throw(failure.error) : steps.next()
    for (; step.done !== true; step = steps.next()) {
      if (step.value) {
        waitFor(step.value, job)
        return false
      }
      if (performance.now() >= untilMs) return true
    }
    end(undefined, step.value)
  } catch (error) {
    end(error)
  }
  return false
}

function waitFor(promise: Promise<unknown>, job: Job): void {
  const fail = (error: unknown) => (job.failure = { error })
  void promise.catch(fail).then(() => schedule(job))
}
