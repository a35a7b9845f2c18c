import { stopwatch } from '../clock.ts'

/** Work that may be interrupted wherever it yields. */
export type CooperativeTask<T> = Generator<void, T, void>

/** Like `CooperativeTask`, but may yield a promise: continues in a turn after it has resolved, or throws its rejection there. */
export type AsyncCooperativeTask<T> = Generator<void | Promise<unknown>, T, void>

type Job = {
  group: unknown
  steps: AsyncCooperativeTask<unknown>
  signal: AbortSignal | undefined
  end(error: unknown, value?: unknown): void
  /** Error to throw where the work continues. */
  failure?: { error: unknown } | undefined
}

/** Time that all cooperative work together may take in one turn of the event loop. Requests that begin have as much of their own. */
const turnMs = 3
const copyBatchSize = 100

/** Items by group: the groups in the order of their turns, the items of each in the order of their arrival. */
type Queues<T> = Map<unknown, T[]>

/** A single queue of work, and one of requests that wait to begin, because there is a single event loop. */
const waiting: Queues<Job> = new Map()
const starts: Queues<() => void> = new Map()

/** Time at which the first request of the present turn of the event loop began. */
let firstStartMs: number | undefined

/**
 * Does the work in short turns, and lets everything else run in between. A turn belongs to one group, such as an organization.
 * The groups alternate, however much work one of them has. Once `signal` is aborted, the work ends at the next yield, runs its
 * `finally`, and rejects with the reason.
 */
export async function runCooperatively<T>(
  group: unknown,
  steps: AsyncCooperativeTask<T>,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end: Job['end'] = (error, value) => (error === undefined ? resolve(value as T) : reject(error))
    schedule({ group, steps, signal, end })
  })
}

/**
 * Waits for a promise within steps, and returns its result. The argument is evaluated by the caller, so that a SQL statement that
 * it starts runs in the turn of the caller's steps.
 */
export function* awaitStep<T>(promise: Promise<T>): AsyncCooperativeTask<T> {
  const results: T[] = []
  yield promise.then((result) => results.push(result))
  return results[0] as T
}

/** Does the work synchronously, in one turn. */
export function runSync<T>(steps: CooperativeTask<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Work that cannot be interrupted. It yields first, so that many such steps do not run in a single turn. */
export function* singleStep<T>(work: () => T): CooperativeTask<T> {
  yield
  return work()
}

/** Copies all entries into a map. */
export function* copyEntries<K, V>(
  entries: Iterable<readonly [K, V]>,
  to: { set(key: K, value: V): unknown },
): CooperativeTask<void> {
  let added = 0
  for (const [key, value] of entries) {
    to.set(key, value)
    added += 1
    if (added % copyBatchSize === 0) yield
  }
}

/** True if a request may begin in this turn of the event loop: earlier ones have taken little time, and no request waits. */
export function mayStart(): boolean {
  if (starts.size > 0) return false
  const nowMs = stopwatch.now()
  if (firstStartMs !== undefined) return nowMs - firstStartMs < turnMs
  firstStartMs = nowMs
  setImmediate(() => (firstStartMs = undefined))
  return true
}

/**
 * Resolves in a turn of the event loop in which no other waiting request begins. Groups, such as organizations, alternate, so
 * that many simultaneous requests do not add up to one long turn.
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
  const untilMs = stopwatch.now() + turnMs
  while (waiting.size > 0 && stopwatch.now() < untilMs) {
    const job = takeNext(waiting)
    if (job && continueJob(job, untilMs)) enqueue(waiting, job.group, job)
  }
  if (waiting.size > 0) setImmediate(takeTurn)
}

function enqueue<T>(queues: Queues<T>, group: unknown, one: T): void {
  const queue = queues.get(group)
  if (queue) queue.push(one)
  else queues.set(group, [one])
}

/** Takes the first item of the group whose turn it is, and moves that group behind the others. */
function takeNext<T>(queues: Queues<T>): T | undefined {
  const [next] = queues
  if (!next) return undefined
  const [group, [first, ...others]] = next
  queues.delete(group)
  if (others.length > 0) queues.set(group, others)
  return first
}

/** Continues a job. True if it needs a later turn; while it waits for a promise, `waitFor` schedules that turn. */
function continueJob(job: Job, untilMs: number): boolean {
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
      if (stopwatch.now() >= untilMs) return true
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
