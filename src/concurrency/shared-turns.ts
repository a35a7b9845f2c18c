/**
 * Lets calls pass in turns, so that what follows them can share a commit: a call passes at once if none has for some time,
 * otherwise at the end of that time, together with all others that wait. `pause` waits for that time.
 */
export function createSharedTurns(pause: () => Promise<unknown>): () => Promise<void> {
  let turn: Promise<unknown> | undefined
  return async () => {
    if (turn) await turn
    turn ??= pause().finally(() => (turn = undefined))
  }
}
