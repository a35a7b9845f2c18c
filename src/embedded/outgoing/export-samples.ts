import { hourMs } from '../../clock.ts'
import { runCooperatively } from '../../concurrency/cooperative.ts'
import type { SampleStore } from '../store/sample-store.ts'
import type { IsSent } from './match.ts'
import type { Receiver, Sent } from './receiver.ts'
import { encodingWrites } from './write-request.ts'

/** Number of sent and of refused samples. `refusal`: last refusal of the receiver. `nextMs`: end of the time exported so far. */
export type Exported = { samples: number; refused: number; refusal: string | null; nextMs: number }

type Options = {
  store: Pick<SampleStore, 'readSpan' | 'oldestOf' | 'whenFilled'>
  organizationIds: readonly number[]
  receiver: Receiver
  isSent: IsSent
  /** Samples in [fromMs, toMs). */
  fromMs: number
  toMs: number
  signal: AbortSignal
  /** Called after each hour of all organizations. */
  onHour: (exported: Exported) => void
  /** Called before the same request is sent again. Rejects if the signal is aborted. */
  wait: (why: Extract<Sent, { outcome: 'retry' }>, attempts: number) => Promise<void>
}

const maxSamples = 4000

/** Sends stored samples hour by hour, and series by series within an hour. Throws once the signal is aborted. */
export async function exportSamples(options: Options): Promise<Exported> {
  const { store, organizationIds, fromMs, toMs, onHour } = options
  await store.whenFilled()
  const oldest = await Promise.all(organizationIds.map(store.oldestOf))
  const oldestMs = Math.min(...oldest.map((timeMs) => timeMs ?? Infinity))
  let exported: Exported = { samples: 0, refused: 0, refusal: null, nextMs: fromMs }
  for (let startMs = Math.max(fromMs, Math.floor(oldestMs / hourMs) * hourMs); startMs < toMs;) {
    const endMs = Math.min(toMs, (Math.floor(startMs / hourMs) + 1) * hourMs)
    for (const organizationId of organizationIds) {
      exported = await exportSpan(options, { organizationId, fromMs: startMs, toMs: endMs - 1 }, exported)
    }
    exported = { ...exported, nextMs: endMs }
    onHour(exported)
    startMs = endMs
  }
  return { ...exported, nextMs: toMs }
}

/** Samples in [fromMs, toMs]. */
type Span = { organizationId: number; fromMs: number; toMs: number }

async function exportSpan({ store, isSent, ...options }: Options, span: Span, soFar: Exported): Promise<Exported> {
  const exported = { ...soFar }
  for (let afterId: number | null = 0; afterId !== null;) {
    const read = store.readSpan({ ...span, afterId, max: maxSamples })
    for (const { body, samples } of await runCooperatively('export', encodingWrites(read, isSent), options.signal)) {
      const sent = await sendOne(options, body)
      if (sent.outcome === 'sent') exported.samples += samples
      else {
        exported.refused += samples
        exported.refusal = `HTTP ${sent.status}: ${sent.text}`
      }
    }
    afterId = read.lastId
  }
  return exported
}

async function sendOne(
  { receiver, signal, wait }: Pick<Options, 'receiver' | 'signal' | 'wait'>,
  body: Uint8Array<ArrayBuffer>,
) {
  for (let attempts = 1; ; attempts += 1) {
    const sent = await receiver(body, signal)
    if (sent.outcome !== 'retry') return sent
    await wait(sent, attempts)
  }
}
