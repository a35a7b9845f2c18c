import { heapSize } from 'bun:jsc'
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { usableMemoryBytes } from './memory.ts'
import { type Conversation, createInbox, type FromWorker, type ToWorker, toWire } from './conversation.ts'

/** Does one job. */
export type Handler = (conversation: Conversation<unknown, unknown>) => Promise<void>

/** A heap that has been so large is given back whole, with the worker; collecting it leaves most of its pages. */
const recycledAboveBytes = Math.max(64 * 1024 * 1024, usableMemoryBytes() / 32)

/** The same of work that knows what it is sent. */
export function handler<Sent, Received>(work: (conversation: Conversation<Sent, Received>) => Promise<void>): Handler {
  return (conversation) => work(conversation as Conversation<Sent, Received>)
}

declare const self: Worker

/**
 * Inside a worker: does the jobs of a pool, by their names, one after the other. Called once native addons are loaded: from then
 * on the worker may be ended at any time.
 */
export function serveJobs(handlers: Map<string, Handler>): void {
  yieldToOthers()
  let inbox = createInbox<unknown>()

  async function work(name: string) {
    const handle = handlers.get(name)
    const conversation: Conversation<unknown, unknown> = {
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

/** On Linux a thread has a priority of its own: what answers requests goes first where processors are few. */
function yieldToOthers(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), 5)
  } catch {} // elsewhere it goes without
}
