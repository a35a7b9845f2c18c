import type { Answer } from './app.ts'
import { type Calculator, calculator, twoSided } from './calculator.ts'
import type { Script } from './fake-source.ts'

export const steady = { target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: twoSided }

/** A period, in Unix seconds, in which a share of all events fails. */
export type Outage = { from: number; to: number; share: number }

/** A nines with a scripted source that previews an SLO of 99.9 % over 30d, unless set otherwise. */
export function previewer(): Calculator & { preview(slo?: object): Promise<Answer> } {
  const it = calculator()
  const preview = (slo = {}) => it.nines.call('POST', '/api/v1/slos/preview', { ...steady, ...slo })
  return Object.assign(it, { preview })
}

/** Script of ten requests per second since `bornSeconds`, of which all but the outages' shares are `ok`. */
export function traffic(outages: Outage[], bornSeconds = 0): Script {
  const rate = (range: number, end: number) => {
    if (end - range < bornSeconds) return null
    const lost = outages.map(
      ({ from, to, share }) => share * Math.max(0, Math.min(end, to) - Math.max(end - range, from)),
    )
    return 10 * (1 - lost.reduce((sum, one) => sum + one, 0) / range)
  }
  return (expression, time) => {
    if (expression.startsWith('count_over_time(')) return 8640 // more than all 720 steps of 3600 s
    const range = Number(/\[(\d+)s\]/.exec(expression)?.[1])
    const ok = rate(range, time)
    if (ok === null) return null
    if (expression.includes('/')) return ok / 10
    const perSecond = expression.includes('(ok[') ? ok : 10
    return expression.includes('increase(') ? perSecond * range : perSecond
  }
}
