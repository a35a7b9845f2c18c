import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { type Conversation, createInbox, type FromWorker, type ToWorker, toWire } from './conversation.ts'

/** Does one job; `worn` asks for a new worker after it, because this one holds much memory now. */
export type Handler = (conversation: Conversation<unknown, unknown>) => Promise<{ worn: boolean } | void>

declare const self: Worker

/** Inside a worker: does the jobs of a pool, by their names, one after the other. */
export function serveJobs(handlers: Map<string, Handler>): void {
  yieldToOthers()
  let inbox = createInbox<unknown>()

  async function work(name: string) {
    const handler = handlers.get(name)
    const conversation: Conversation<unknown, unknown> = {
      post: (message, transfer = []) => send({ message }, transfer),
      next: inbox.next,
    }
    try {
      if (!handler) throw new Error(`no job is named "${name}"`)
      const { worn } = (await handler(conversation)) ?? { worn: false }
      send({ ended: { worn } })
    } catch (error) {
      send({ failed: toWire(error) })
    }
  }

  self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
    if (!('job' in data)) return inbox.put(data.message)
    inbox = createInbox()
    void work(data.job)
  })
}

function send(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  self.postMessage(message, transfer)
}

/** On Linux a thread has a priority of its own: what answers requests goes first where processors are few. */
function yieldToOthers(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), 10)
  } catch {} // elsewhere it goes without
}
