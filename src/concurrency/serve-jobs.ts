import { heapSize } from 'bun:jsc'
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { type JobMessages, createInbox, type FromWorker, type ToWorker, toWire } from './job-messages.ts'

/** Handles one job. */
export type Handler = (conversation: JobMessages<unknown, unknown>) => Promise<void>

/** Heap size above which a worker is replaced: its end returns all memory; garbage collection keeps most of the pages. */
const recycledAboveBytes = 32 * 1024 * 1024

/** A handler for work with typed messages. */
export function handler<Sent, Received>(work: (conversation: JobMessages<Sent, Received>) => Promise<void>): Handler {
  return (conversation) => work(conversation as JobMessages<Sent, Received>)
}

declare const self: Worker

/**
 * Runs inside a worker: handles the jobs of a pool, by their names, one after the other. Call it once native addons are loaded,
 * because from then on the worker may be terminated at any time.
 */
export function serveJobs(handlers: Map<string, Handler>): void {
  lowerPriority()
  let inbox = createInbox<unknown>()

  async function work(name: string) {
    const handle = handlers.get(name)
    const conversation: JobMessages<unknown, unknown> = {
      post: (message, transfer = []) => send({ message }, transfer),
      next: inbox.next,
    }
    try {
      if (!handle) throw new Error(`no job is named "${name}"`)
      await handle(conversation)
      send({ failed: null, isRecycled: heapSize() > recycledAboveBytes })
    } catch (error) {
      send({ failed: toWire(error), isRecycled: heapSize() > recycledAboveBytes })
    }
  }

  self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
    if (!('job' in data)) return inbox.put(data.message)
    inbox = createInbox()
    void work(data.job)
  })
  send({ loaded: true })
}

function send(message: FromWorker, transfer: ArrayBufferLike[] = []): void {
  self.postMessage(message, transfer as ArrayBuffer[])
}

/** Lowers the priority of this thread, on Linux only, so that threads with requests run first if processors are few. */
function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), 5)
  } catch {} // other systems keep the priority
}
