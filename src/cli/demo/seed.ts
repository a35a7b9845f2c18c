import type { App } from '../../app.ts'
import { dayMs, minuteMs } from '../../clock.ts'
import { readOrCreateSecret } from '../../db/data-folder/data-dir.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { getSlo } from '../../slos/store.ts'
import type { ApiCall } from './api-client.ts'
import { evaluatePast } from './past-evaluations.ts'
import { writePastLedger } from './past-ledger.ts'
import { importPast, type PastSpan } from './past.ts'
import { createShop, plannedIncidents, shopName } from './shop.ts'
import { demoSlos } from './slos.ts'

export const demoEmail = 'demo@example.com'

/** Name of the channel whose receiver is inside the demo. */
const receiverName = 'Inbox of the demo'

/** Age of the demo's organization when the demo is first started. */
export const pastMs = 35 * dayMs

/** Password of the demo: different in each data folder, and the same at each start. */
export function demoPassword(dataDir: string): string {
  return readOrCreateSecret(dataDir, 'demo.secret').slice(0, 20)
}

type SeedOptions = {
  /** Time of the demo's first start. */
  liveMs: number
  /** Address on which nines listens, and on which its probes find it. */
  ownUrl: string
  /** Address of the receiver of messages. */
  receiverUrl: string
  /** Sets the clock of the app, also back. */
  setTime: (timeMs: number) => void
}

/**
 * Seeds the demo's organization, as if it had been there for 35 days: probes, a channel, SLOs with their past, its alerts,
 * incidents and messages, which are delivered, and the target of the sample service. Leaves the clock at `liveMs`.
 */
export async function seedDemo(app: App, api: ApiCall, options: SeedOptions): Promise<void> {
  const { liveMs, ownUrl, receiverUrl, setTime } = options
  const openedMs = liveMs - pastMs
  const firstSeconds = Math.ceil(openedMs / minuteMs) * 60
  const span = { firstSeconds, count: Math.floor(liveMs / minuteMs) - firstSeconds / 60 }
  const organizationId = Number((await api('GET', '/auth/me'))['organization_id'])
  for (const probe of ownProbes(ownUrl)) await api('POST', '/embedded/probes', probe)
  await api('POST', '/notifications/channels', {
    name: receiverName,
    channel_type: 'webhook',
    is_default: true,
    configuration: { webhook_url: receiverUrl },
  })
  const planned: PlannedSlo[] = []
  for (const { body } of demoSlos) {
    const { id } = await api('POST', '/slos', body)
    planned.push(app.planner.plan(await getSlo(app.db.read, organizationId, Number(id))))
  }
  const shop = createShop({ openedMs, liveMs })
  app.internalTargets.set(shopName, async () => Buffer.from(shop.expositionAt(app.clock.now())))
  await api('POST', '/embedded/targets', { name: shopName, url: `nines:${shopName}`, interval_seconds: 15 })

  setTime(liveMs)
  const eventSources = demoSlos.map((slo) => slo.events)
  const sums = await importPast(app, span, { organizationId, shop, ownUrl, eventSources })
  const slos = planned.flatMap((one, at) => {
    const [slo, own] = [demoSlos[at], sums[at]]
    if (!slo || !own) return []
    return [{ planned: one, sums: own, evaluatedMinutes: evaluatedMinutesOf(slo.body.labels.service, span) }]
  })
  for (const { planned: one, sums: own } of slos) await writePastLedger(app, one, { span, sums: own })
  await evaluatePast(app, span, { slos, setTime })
  setTime(liveMs)
  await app.evaluator.evaluateAll()
  await app.delivery.run()
}

/** Time between two evaluations in quiet times. */
const sparseMinutes = 12 * 60
/** Time after the begin and after the end of an incident with an evaluation every few minutes. */
const denseMinutes = 15
/** Time after the end of an incident in which there is at least an evaluation an hour. */
const afterMinutes = 7 * 60

/** Minutes at which SLOs of a service are evaluated: few in quiet times, many where an alert or incident begins or ends. */
function evaluatedMinutesOf(service: string, { firstSeconds, count }: PastSpan): Set<number> {
  const evaluatedMinutes = new Set<number>()
  const add = (from: number, until: number, every: number) => {
    for (let minute = from; minute < until; minute += every)
      if (minute > 0 && minute < count) evaluatedMinutes.add(minute)
  }
  add(sparseMinutes - ((firstSeconds / 60) % sparseMinutes), count, sparseMinutes) // at midnight and noon UTC
  for (const { service: affected, beginsMinute, minutes } of plannedIncidents) {
    if (affected !== service) continue
    const [begin, end] = [count + beginsMinute, count + beginsMinute + minutes]
    add(begin, Math.min(end, begin + denseMinutes), 2)
    add(begin + denseMinutes, end, Math.max(5, Math.round(minutes / 60)))
    add(end, end + denseMinutes, 2)
    add(end + denseMinutes, end + 2 * denseMinutes, 5)
    add(end + 2 * denseMinutes, end + afterMinutes, 60)
  }
  return evaluatedMinutes
}

/** Probes of nines itself, at the address on which it listens. */
export function ownProbes(ownUrl: string) {
  const schedule = { interval_seconds: 15, timeout_seconds: 5 }
  return [
    { name: 'nines-health', type: 'http' as const, target: `${ownUrl}/health`, ...schedule },
    { name: 'nines-port', type: 'tcp' as const, target: new URL(ownUrl).host, ...schedule },
  ]
}
