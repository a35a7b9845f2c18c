import type { World } from '../../test/chaos/world.ts'
import type { Organization } from './organizations.ts'

export type Delivered = {
  taken: number
  /** Notifications still pending long after the receiver recovered. */
  stuck: string[]
  /** Notifications that failed for good, or were marked delivered or accepted and did not arrive. */
  lost: string[]
  /**
   * Keys that arrived more than once: across an interruption, after which nines cannot know whether an attempt succeeded, and
   * without one.
   */
  repeatedAcrossInterruption: number
  repeated: string[]
}

type Row = { id: number; status: string; idempotency_key: string }

const pageSize = 100
const timeoutMs = 120_000
/** Time before an interruption at which an interrupted attempt may have begun: an attempt takes at most ten seconds. */
const attemptMs = 12_000

/** Waits until no notification is pending, and compares the delivery history of nines with what the receiver got. */
export async function assessDelivery(
  world: World,
  organizations: Organization[],
  accepted: Set<string>,
  interruptions: number[],
): Promise<Delivered> {
  const endMs = performance.now() + timeoutMs
  let rows: Row[]
  let waiting: Row[]
  for (;;) {
    rows = (await Promise.all(organizations.map((one) => historyOf(world, one)))).flat()
    waiting = rows.filter(({ status }) => status === 'pending' || status === 'sending')
    if (waiting.length === 0 || performance.now() > endMs) break
    await Bun.sleep(2000)
  }
  const arrivals = Map.groupBy(world.around.taken, ({ key }) => key)
  const subjects = new Set(world.around.taken.map(({ subject }) => subject))
  const outcome: Delivered = {
    taken: world.around.taken.length,
    stuck: waiting.map(({ id, status }) => `notification ${id} is ${status}`),
    lost: [
      ...rows
        .filter(
          ({ status, idempotency_key: key }) => status === 'failed' || (status === 'delivered' && !arrivals.has(key)),
        )
        .map(({ id, status }) => `notification ${id} is ${status}, and did not arrive`),
      ...[...accepted].filter((subject) => !subjects.has(subject)).map((subject) => `"${subject}" did not arrive`),
    ],
    repeatedAcrossInterruption: 0,
    repeated: [],
  }
  for (const [key, times] of arrivals) {
    for (const [at, { atMs }] of times.slice(1).entries()) {
      const beforeMs = times[at]?.atMs ?? 0
      const isOver = interruptions.some((ms) => ms >= beforeMs - attemptMs && ms <= atMs)
      if (isOver) outcome.repeatedAcrossInterruption += 1
      else outcome.repeated.push(`${key} came again after ${((atMs - beforeMs) / 1000).toFixed(1)} s`)
    }
  }
  return outcome
}

async function historyOf(world: World, { token }: Organization): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page += 1) {
    const path = `/api/v1/notifications/history?page=${page}&page_size=${pageSize}`
    const answer = await world.nines()?.call('GET', path, undefined, token)
    const found: Row[] = answer?.body.notifications ?? []
    rows.push(...found)
    if (found.length < pageSize) return rows
  }
}

/** Makes the switchable SLO of each organization alert and recover; returns a sentence for each missing alert or recovery. */
export async function checkFinalAlerts(world: World, organizations: number): Promise<string[]> {
  const before = world.around.taken.length
  const missing: string[] = []
  for (const [event, on] of [
    ['alert', false],
    ['recovery', true],
  ] as const) {
    world.around.setSwitch(on)
    const endMs = performance.now() + timeoutMs
    const came = () => {
      const keys = world.around.taken.slice(before).filter((one) => one.event === event)
      return new Set(keys.map(({ key }) => key)).size
    }
    while (came() < organizations && performance.now() < endMs) await Bun.sleep(100)
    if (came() < organizations) missing.push(`${came()} of ${organizations} organizations got the last ${event}`)
  }
  return missing
}
