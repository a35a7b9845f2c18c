import { truths } from '../../test/chaos/truth.ts'
import type { Client } from './client.ts'
import type { Organization } from './organizations.ts'

/** Read request of an organization; numbers in the response are compared with the known truth. */
export type Read = (client: Client, organization: Organization, random: () => number) => Promise<void>

export type Numbers = {
  /** Count of numbers that were read and compared. */
  compared: number
  /** Count of responses without numbers. */
  unknown: number
  wrong: string[]
}

export const tolerancePercent = 1e-4
const maxWrong = 20

/** Reads as `[weight, read]`. Budgets are compared with values calculated from the truth. */
export function createReads(numbers: Numbers): [number, Read][] {
  const get =
    (what: string, path: string): Read =>
    async (client, { token }) =>
      void (await client.send(`GET ${what}`, 'GET', path, { token }))
  const ofSlo =
    (what: string, path: (id: number) => string): Read =>
    async (client, { token, sloIds }, random) => {
      const ids = [...sloIds.values()]
      const id = ids[Math.floor(random() * ids.length)] ?? 1
      await client.send(`GET ${what}`, 'GET', path(id), { token })
    }
  const budget: Read = async (client, { token, sloIds }, random) => {
    const truth = truths[Math.floor(random() * truths.length)] ?? truths[0]
    if (!truth) return
    const path = `/api/v1/slos/${sloIds.get(truth.name)}/budget`
    const reply = await client.send('GET budget', 'GET', path, { token })
    if (reply?.status !== 200) return
    const read = JSON.parse(reply.text) as Budget
    if (isUnknown(read)) numbers.unknown += 1
    else compare(numbers, truth, read)
  }
  const calculate: Read = async (client, { token, sloIds }) => {
    const truth = truths[0]
    if (!truth) return
    const body = { slo_id: sloIds.get(truth.name), time_window: '1h' }
    const reply = await client.send('calculate-slo', 'POST', '/api/v1/tsdb/calculate-slo', { token, body })
    if (reply?.status !== 200) return
    const { current_value } = JSON.parse(reply.text) as { current_value: number | null }
    if (current_value !== null) check(numbers, `${truth.name}: calculate-slo`, current_value, truth.percent)
    else numbers.unknown += 1
  }
  const embedded = `/embedded/prometheus/api/v1/query?query=${encodeURIComponent('sum(rate(load_total[5m]))')}`
  return [
    [20, ofSlo('SLO', (id) => `/api/v1/slos/${id}`)],
    [15, budget],
    [8, get('SLOs', '/api/v1/slos?page_size=50')],
    [5, ofSlo('burn rates', (id) => `/api/v1/slos/${id}/burn-rates`)],
    [3, ofSlo('evaluations', (id) => `/api/v1/slos/${id}/evaluations`)],
    [2, ofSlo('timeline', (id) => `/api/v1/slos/${id}/timeline`)],
    [5, get('real-time metrics', '/api/v1/tsdb/real-time-metrics')],
    [5, get('overview', '/api/v1/slos/overview')],
    [3, get('trend', '/api/v1/slos/availability-trend')],
    [5, get('alerts', '/api/v1/notifications/alerts')],
    [5, get('history', '/api/v1/notifications/history')],
    [2, get('silences', '/api/v1/notifications/silences')],
    [3, get('health', '/api/v1/health')],
    [3, get('page', '/')],
    [3, get('PromQL', embedded)],
    [2, calculate],
  ]
}

type Budget = {
  sli: number | null
  status: string
  status_reason: string | null
  error_budget: { total: number; percentage_used: number | null }
}

/**
 * True if a response has no numbers, but a reason or a known status: the window may be less than half covered while the current
 * value, from minutes, is known.
 */
function isUnknown({ sli, status, status_reason, error_budget: { percentage_used } }: Budget): boolean {
  return sli === null && percentage_used === null && (status !== 'unknown' || status_reason !== null)
}

function compare(numbers: Numbers, truth: (typeof truths)[number], read: Budget): void {
  const allowed = 100 - truth.target
  const used = ((100 - truth.percent) / allowed) * 100
  const { total, percentage_used } = read.error_budget
  check(numbers, `${truth.name}: SLI`, read.sli, truth.percent)
  check(numbers, `${truth.name}: budget`, total, allowed)
  // The used budget has the tolerance of the SLI, converted to its unit.
  check(numbers, `${truth.name}: budget used`, percentage_used, used, (tolerancePercent / allowed) * 100)
}

function check(numbers: Numbers, what: string, is: number | null, truth: number, tolerance = tolerancePercent): void {
  numbers.compared += 1
  if (is !== null && Math.abs(is - truth) <= tolerance) return
  if (numbers.wrong.length < maxWrong) numbers.wrong.push(`${what} is ${is}, not ${truth}`)
}
