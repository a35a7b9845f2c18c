import type { Answer } from '../support/app.ts'
import { truths } from './truth.ts'
import { metricsToken, type World } from './world.ts'

/** Results of one check of nines. */
export type HealthCheck = {
  atMs: number
  /** Wrong numbers that look valid, one sentence each; there must never be one. */
  wrong: string[]
  /** Last evaluation time and reason of an unknown status by SLO; empty if nines did not answer. */
  slos: Map<string, { reason: string | null; evaluatedAt: string | null }>
  /** Reported problems: a failed start, not ready, and conditions that health, log and metrics all show. */
  reported: string[]
  /** Conditions that health shows. */
  mentioned: string[]
}

const tolerance = 1e-4
/** Three intervals, at least three minutes, plus the time of a check on a busy machine. */
const oldestSeconds = 190
const silence: HealthCheck['slos'] = new Map()

export async function checkHealth(world: World): Promise<HealthCheck> {
  const nines = world.nines()
  const seen: HealthCheck = { atMs: performance.now(), wrong: [], slos: silence, reported: [], mentioned: [] }
  const refusal = world.refusal()
  if (refusal !== null) seen.reported.push('start refused')
  if (!nines) return seen
  const ask = (path: string, token?: string) => within(5000, nines.call('GET', path, undefined, token))
  const metricsOf = async () => {
    const request = fetch(`${nines.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
    return within(
      5000,
      request.then((answer) => (answer.ok ? answer.text() : null)),
    )
  }
  const [ready, health, metrics, exposition] = await Promise.all([
    ask('/ready'),
    ask('/api/v1/health'),
    ask('/api/v1/tsdb/real-time-metrics', world.token),
    metricsOf(),
  ])
  if (ready?.status === 503) seen.reported.push(`not ready: ${ready.body.error}`)
  const conditions: string[] = (health?.body.conditions ?? []).map(({ name }: { name: string }) => name)
  seen.mentioned.push(...conditions)
  for (const name of conditions) {
    const isLogged = world.log().includes(`"message":"condition began","condition":"${name}"`)
    const isExposed = exposition?.includes(`nines_condition{condition="${name}"} 1`)
    if (health?.body.status === 'degraded' && isLogged && isExposed) seen.reported.push(name)
  }
  readSlos(seen, metrics)
  readExposition(seen, exposition ?? '')
  return seen
}

function readSlos(seen: HealthCheck, answer: Answer | null): void {
  if (answer?.status !== 200) return
  seen.slos = new Map()
  for (const metric of answer.body.metrics) {
    seen.slos.set(metric.slo_name, { reason: metric.status_reason, evaluatedAt: metric.updated_at })
    const truth = truths.find(({ name }) => name === metric.slo_name)
    if (!truth) continue
    const isKnown = metric.status !== 'unknown'
    const wrong = (text: string) => seen.wrong.push(`${truth.name}: ${text}: ${JSON.stringify(metric)}`)
    for (const name of ['current_value', 'own_value'] as const) {
      const value: number | null = metric[name]
      if (value === null && isKnown && name === 'current_value') wrong('no value')
      if (value !== null && Math.abs(value - truth.percent) > tolerance) wrong(`${name} is not ${truth.percent}`)
    }
    if (!isKnown && metric.status_reason === null) wrong('unknown without a reason')
    if (isKnown && (metric.status === 'critical') === truth.percent >= truth.target) wrong('status')
    if (isKnown && metric.age_seconds > oldestSeconds) wrong('old, and not mentioned to be')
  }
  const lost = truths.filter(({ name }) => !seen.slos.has(name))
  if (lost.length > 0) seen.wrong.push(`SLOs are missing: ${lost.map(({ name }) => name).join(', ')}`)
}

function readExposition(seen: HealthCheck, text: string): void {
  for (const [, family, labels, value] of text.matchAll(/^(slo_(?:current_)?sli_ratio)\{(.*)\} (\S+)$/gm)) {
    const name = /slo_name="([^"]*)"/.exec(labels ?? '')?.[1]
    const truth = truths.find((one) => one.name === name)
    if (!truth || Math.abs(Number(value) * 100 - truth.percent) <= tolerance) continue
    seen.wrong.push(`${name}: ${family} is ${value}, not ${truth.percent / 100}`)
  }
}

/** Result of the work; null if it takes longer or fails. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  return Promise.race([work.catch(() => null), Bun.sleep(ms).then(() => null)])
}
