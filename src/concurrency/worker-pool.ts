import { stopwatch } from '../clock.ts'
import { type Abort, createAbort } from './abort.ts'
import { assertDescriptorsLeft } from './descriptors.ts'
import { AppError } from '../errors.ts'
import { type JobMessages, createInbox, fromWire, type FromWorker, type ToWorker } from './job-messages.ts'
import { createFairQueue } from './fair-queue.ts'

/**
 * `group`: its jobs use at most `workersOfGroup` workers, and as many for urgent jobs. `deadlineMs`: from the call on, including
 * the time spent waiting. `urgent`: uses separate workers. `admit`: called when the job's turn has come; if it throws, the job
 * fails with that error.
 */
export type JobOptions = {
  group: number | string
  deadlineMs: number
  urgent?: boolean
  signal?: AbortSignal
  admit?: () => void
}

/**
 * Threads for work that would block the event loop. Workers start with their first job, and end `idleTimeoutMs` after their last.
 * If a job has to end early (deadline, signal, an error of the conversation), its worker is terminated and replaced.
 */
export type WorkerPool = {
  /**
   * Runs a job in a worker, while `conversation` exchanges messages with it. Rejects with the error of the handler, `too_slow`
   * at the deadline, `unavailable` if the worker cannot start or ends or the pool is closed, and the reason of the signal.
   */
  run<Sent, Received, T>(
    job: string,
    conversation: (messages: JobMessages<Sent, Received>) => Promise<T>,
    options: JobOptions,
  ): Promise<T>
  /** Terminates all workers, also during a job, and resolves once they have ended. */
  close(): Promise<void>
}

/**
 * `url`: a module that calls `serveJobs`. `preemptAfterMs`: how long a group waits for its first worker; after that, the job that
 * has run longest, and at least that long, is ended to make room. `idleTimeoutMs`: how long a worker stays without a job; it takes
 * 7 to 10 MB. `holdDescriptors`: keeps file descriptors free while a worker starts, because Bun ends the process if a new thread
 * finds none. `holdDescriptors` is called before each start, and the function that it returns is called once: when the worker has
 * loaded or failed to.
 */
type Options = {
  url: string
  workers: number
  workersOfGroup: number
  urgentWorkers: number
  preemptAfterMs?: number
  idleTimeoutMs?: number
  holdDescriptors?: () => () => void
}

/** `beganMs`: undefined while the job waits. */
type Job = { ending: Abort; group: number | string; urgent: boolean; beganMs: number | undefined }

/**
 * `loaded` resolves once the worker serves jobs, or has ended before. `isRetired`: it takes no further job. `receive` and `fail`
 * belong to the job under way.
 */
type Thread = {
  worker: Worker
  loaded: Promise<void>
  closed: Promise<void>
  isFree: boolean
  isRetired: boolean
  idleTimer: ReturnType<typeof setTimeout> | undefined
  receive: (message: Exclude<FromWorker, { loaded: true }>) => void
  fail: (error: unknown) => void
}

export function createWorkerPool({
  url,
  workers,
  workersOfGroup,
  urgentWorkers,
  preemptAfterMs = 3000,
  idleTimeoutMs = 20_000,
  holdDescriptors = () => () => {},
}: Options): WorkerPool {
  const queue = createFairQueue<number | string>({ max: workers, maxOfGroup: workersOfGroup })
  const urgentQueue = createFairQueue<number | string>({ max: urgentWorkers, maxOfGroup: workersOfGroup })
  const pool = new Set<Thread>()
  const underWay = new Set<Job>()
  let isClosed = false

  function start(): Thread {
    const release = holdDescriptors()
    const worker = newWorker(url, release)
    const [loading, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    worker.unref() // a process that has nothing left to do ends
    const thread: Thread = {
      worker,
      loaded: loading.promise.then(release),
      closed: closing.promise,
      isFree: true,
      isRetired: false,
      idleTimer: undefined,
      receive: () => {},
      fail: () => {},
    }
    pool.add(thread)
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if ('loaded' in data) loading.resolve()
      else thread.receive(data)
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      thread.isRetired = true
      thread.fail(new AppError('unavailable', 'A worker failed', { cause: new Error(event.message) }))
    })
    worker.addEventListener('close', () => {
      pool.delete(thread)
      thread.fail(new AppError('unavailable', 'A worker ended'))
      loading.resolve()
      closing.resolve()
    })
    return thread
  }

  /** Terminates a worker, but not before it has loaded: terminating a thread that is loading an addon ends the process. */
  function end(thread: Thread): void {
    thread.isFree = false
    void thread.loaded.then(() => thread.worker.terminate())
  }

  async function work<Sent, Received, T>(
    thread: Thread,
    job: string,
    conversation: (messages: JobMessages<Sent, Received>) => Promise<T>,
    ending: AbortSignal,
  ): Promise<T> {
    const inbox = createInbox<Received>()
    const handler = Promise.withResolvers<void>()
    handler.promise.catch(() => {}) // the conversation fails too
    const failed = Promise.withResolvers<never>()
    let state = 'new' as 'new' | 'at work' | 'over'
    thread.isFree = false
    clearTimeout(thread.idleTimer)
    thread.fail = (error) => {
      inbox.fail(error)
      handler.reject(error)
      failed.reject(error)
    }
    thread.receive = (message) => {
      if ('message' in message) return inbox.put(message.message as Received)
      state = 'over'
      thread.isRetired = message.isRecycled
      if (message.failed) thread.fail(fromWire(message.failed))
      else handler.resolve()
    }
    ending.addEventListener('abort', () => thread.fail(ending.reason), { once: true })
    const post = (message: ToWorker, transfer: ArrayBufferLike[] = []) =>
      thread.worker.postMessage(message, transfer as ArrayBuffer[])
    /** Starts the job with the first message: if a job fails before, its worker is free for the next. */
    function begin() {
      ending.throwIfAborted()
      if (state !== 'new') return
      state = 'at work'
      post({ job })
    }
    try {
      await Promise.race([failed.promise, thread.loaded])
      const talking = conversation({
        post(message, transfer) {
          begin()
          post({ message }, transfer)
        },
        async next() {
          begin()
          return inbox.next()
        },
      })
      const result = await Promise.race([talking, failed.promise])
      begin() // if the conversation had no message
      await handler.promise
      return result
    } finally {
      if (state === 'at work' || thread.isRetired) end(thread)
      else release(thread)
    }
  }

  function release(thread: Thread): void {
    thread.isFree = true
    thread.idleTimer = setTimeout(() => end(thread), idleTimeoutMs).unref()
  }

  /** Ends the oldest job of another group, if a job waits and none of its own group is running. */
  function makeRoomFor(waiting: Job): void {
    if (waiting.beganMs !== undefined) return
    const atWork = [...underWay].filter(({ urgent, beganMs }) => urgent === waiting.urgent && beganMs !== undefined)
    if (atWork.some(({ group }) => group === waiting.group)) return
    const [oldest] = atWork.toSorted((a, b) => (a.beganMs ?? 0) - (b.beganMs ?? 0))
    if (oldest?.beganMs === undefined || stopwatch.now() - oldest.beganMs < preemptAfterMs) return
    oldest.ending.abort(new AppError('too_slow', 'The work took too long while others waited'))
  }

  return {
    async run<Sent, Received, T>(
      job: string,
      conversation: (messages: JobMessages<Sent, Received>) => Promise<T>,
      { group, deadlineMs, urgent = false, signal, admit = () => {} }: JobOptions,
    ): Promise<T> {
      using ending = createAbort(signal, deadlineMs, () => new AppError('too_slow', 'The work took too long'))
      const submitted: Job = { ending, group, urgent, beganMs: undefined }
      underWay.add(submitted)
      const roomTimer = setInterval(() => makeRoomFor(submitted), preemptAfterMs)
      if (isClosed) ending.abort(stopping())
      const task = async () => {
        ending.signal.throwIfAborted()
        submitted.beganMs = stopwatch.now()
        admit()
        const thread = [...pool].find(({ isFree }) => isFree) ?? start()
        return work(thread, job, conversation, ending.signal)
      }
      try {
        return await (urgent ? urgentQueue : queue).run(group, task, ending.signal)
      } finally {
        clearInterval(roomTimer)
        underWay.delete(submitted)
      }
    },
    async close() {
      isClosed = true
      for (const { ending } of underWay) ending.abort(stopping())
      const closing = [...pool]
      for (const thread of closing) end(thread)
      await Promise.all(closing.map(({ closed }) => closed))
    },
  }
}

const stopping = () => new AppError('unavailable', 'nines is stopping')

function newWorker(url: string, onFailed: () => void): Worker {
  try {
    assertDescriptorsLeft() // Bun ends the process if a new thread has none for its event loop
    return new Worker(url)
  } catch (error) {
    onFailed()
    throw error
  }
}
