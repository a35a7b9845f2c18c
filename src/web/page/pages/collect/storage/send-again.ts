import { ApiError } from '../../../api/client.ts'

const again = new Set([0, 429, 503])
const maxTries = 5
const pauseMs = 2000

/**
 * Sends a part until it has an answer. One that did not arrive is sent again after a while, five times at most; one that the
 * server refuses for the time being, as often as it says after how long, until that has been `maxWaitMs` in all: importing
 * the same again changes nothing. Throws the last refusal.
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
      if (!(error instanceof ApiError) || !again.has(error.status)) throw error
      const askedMs = (error.retryAfterSeconds ?? 0) * 1000
      if (askedMs > 0 ? waitedMs >= maxWaitMs : tries >= maxTries) throw error
      await pause(askedMs || pauseMs)
      waitedMs += askedMs || pauseMs
    }
  }
}
