/**
 * Load of the fan-out benchmark, the same for every server. SLOs have the ids 1 to `slos`; `perSecond`: updates of all of them
 * together.
 */
export type FanOutLoad = {
  connections: number
  subscriptionsEach: number
  slos: number
  perSecond: number
  seconds: number
}

/** Messages to and from a server. */
export type ToServer = { load: FanOutLoad }
export type FromServer =
  | { url: string; tokens: string[] }
  | { connections: number; cutOffAfterSeconds: number | null; updates: number; tookSeconds: number }

const steady = { state: 'ok', state_since: null, state_reason: null, burn_rate_now: 0 }

/** Update of an SLO. `current` counts the updates of its SLO; `budgetUsed` is the time of sending, in milliseconds. */
export type Update = {
  sloId: number
  organizationId: number
  status: string
  stateFields: typeof steady
  current: number
  target: number
  budgetUsed: number
  windowBudget: { usedPercent: number; isEstimated: boolean }
  atMs: number
}

/**
 * Maximum updates per burst. Otherwise a server that is late would save writes by sending many at once, instead of taking
 * longer.
 */
const maxConcurrent = 2

export const now = () => performance.timeOrigin + performance.now()

/**
 * Publishes updates at a steady rate, rotating through the SLOs, and reports the result. `connections`: current number of
 * connections.
 */
export async function pace(
  { slos, perSecond, seconds }: FanOutLoad,
  publish: (update: Update) => void,
  connections: () => number,
): Promise<void> {
  const atStart = connections()
  const began = performance.now()
  const elapsedMs = () => performance.now() - began
  let updates = 0
  let cutOffAfterSeconds: number | null = null
  while (updates < perSecond * seconds) {
    const onTime = Math.min(perSecond * seconds, Math.floor((elapsedMs() / 1000) * perSecond))
    const due = Math.min(onTime, updates + maxConcurrent)
    for (; updates < due; updates += 1) {
      const sloId = (updates % slos) + 1
      const current = Math.floor(updates / slos) + 1
      publish({
        sloId,
        organizationId: 1,
        status: 'healthy',
        stateFields: steady,
        current,
        target: 99.9,
        budgetUsed: now(),
        windowBudget: { usedPercent: 1, isEstimated: false },
        atMs: Date.now(),
      })
    }
    if (cutOffAfterSeconds === null && connections() < atStart) cutOffAfterSeconds = elapsedMs() / 1000
    await Bun.sleep(1)
  }
  const done: FromServer = { connections: connections(), cutOffAfterSeconds, updates, tookSeconds: elapsedMs() / 1000 }
  process.send?.(done)
}
