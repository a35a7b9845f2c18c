import { ApiError, send } from '../../../api/client.ts'
import { pause } from '../../../api/connection.ts'
import type { ImportedPart } from '../types.ts'
import { partsOfFile } from './parts-of-file.ts'

/** End of an import; null: it runs. */
export type ImportEnd = 'done' | 'cancelled' | { problem: string } | null

/** Progress of a file's import. `share`: imported share of its bytes, 0 to 1; `samples`: stored; `tooOld`, `tooNew`: left out. */
export type Progress = {
  share: number
  samples: number
  tooOld: number
  tooNew: number
  firstMs: number | null
  lastMs: number | null
  /** Number of SLOs that are backfilled again; known at the end. */
  slos: number | null
}

/** Progress before the first part. */
export const noProgress: Progress = {
  share: 0,
  samples: 0,
  tooOld: 0,
  tooNew: 0,
  firstMs: null,
  lastMs: null,
  slos: null,
}

/**
 * Imports a file part by part; `onProgress` gets the sum of the imported parts after each. If the import is aborted or refused,
 * the imported parts stay, and the SLOs are still backfilled. Throws the reason of an early end.
 */
export async function importFile(
  file: File,
  maxBytes: number,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Progress> {
  let progress = noProgress
  try {
    for await (const { text, firstLine, isLast, readBytes } of partsOfFile(file, maxBytes)) {
      signal.throwIfAborted()
      const imported = await sendPart({ text, first_line: firstLine, is_last: isLast }, signal)
      progress = withPart(progress, imported, file.size === 0 ? 1 : readBytes / file.size)
      onProgress(progress)
    }
    return progress
  } catch (error) {
    // a last part without samples ends the import, so that the server backfills the SLOs
    await sendPart({ text: '# EOF\n', first_line: 2, is_last: true }).catch(() => {})
    throw error
  }
}

type Part = { text: string; first_line: number; is_last: boolean }

const maxWaitMs = 10 * 60_000
const maxWaitAtEndMs = 20_000

/** Sends a part; repeats it if the server has no capacity yet or the request did not arrive. */
function sendPart(body: Part, signal?: AbortSignal): Promise<ImportedPart> {
  const sendOnce = () => send<ImportedPart>('POST', '/embedded/import', { body, ...(signal && { signal }) })
  return sendAgain(sendOnce, (ms) => pause(ms, signal), signal ? maxWaitMs : maxWaitAtEndMs)
}

/** Statuses after which a request is repeated; 0: there was no answer. */
const retriedStatuses = new Set([0, 429, 503])
const maxTries = 5
const pauseMs = 2000

/**
 * Sends until there is an answer. A request that did not arrive, or is refused without a time to wait, is sent up to five times, with a
 * pause between. A request that the server refuses with a time to wait is repeated after that time, until the waits add up to `maxWaitMs`.
 * Repeating is safe: importing the same samples again changes nothing. Throws the last error.
 */
export async function sendAgain<T>(
  send: () => Promise<T>,
  pause: (ms: number) => Promise<void>,
  maxWaitMs: number,
): Promise<T> {
  let waitedMs = 0
  for (let tries = 1; ; tries += 1) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof ApiError) || !retriedStatuses.has(error.status)) throw error
      const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1000
      if (retryAfterMs > 0 ? waitedMs >= maxWaitMs : tries >= maxTries) throw error
      await pause(retryAfterMs || pauseMs)
      waitedMs += retryAfterMs || pauseMs
    }
  }
}

function withPart(progress: Progress, part: ImportedPart, share: number): Progress {
  const [firstMs, lastMs] = [part.first_at, part.last_at].map((time) => (time === null ? null : Date.parse(time)))
  const either = (choose: (...all: number[]) => number, one: number | null, other: number | null | undefined) =>
    one === null || typeof other !== 'number' ? (one ?? other ?? null) : choose(one, other)
  return {
    share,
    samples: progress.samples + part.samples,
    tooOld: progress.tooOld + part.too_old,
    tooNew: progress.tooNew + part.too_new,
    firstMs: either(Math.min, progress.firstMs, firstMs),
    lastMs: either(Math.max, progress.lastMs, lastMs),
    slos: part.slos,
  }
}
