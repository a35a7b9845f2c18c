import type { Answer } from './app.ts'
import { type Calculator, calculator, twoSided } from './calculator.ts'
import type { Script } from './fake-source.ts'

/** Body of a preview request, valid as it is. */
export const previewedSlo = { target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: twoSided }

/** A period in which a share of all events (0..1) fails; `from` and `to` in Unix seconds. */
export type Outage = { from: number; to: number; share: number }

/** A calculator that can also preview an SLO: `previewedSlo`, with the fields of `slo` replaced. Created before each test. */
export function previewer(): Calculator & { preview(slo?: object): Promise<Answer> } {
  const it = calculator()
  const preview = (slo = {}) => it.nines.call('POST', '/api/v1/slos/preview', { ...previewedSlo, ...slo })
  return Object.assign(it, { preview })
}

/**
 * Source with ten requests per second, of which all are `ok` except during outages. Without data for a window that begins
 * before `startSeconds`.
 */
export function traffic(outages: Outage[], startSeconds = 0): Script {
  const okPerSecond = (range: number, end: number) => {
    if (end - range < startSeconds) return null
    const failedSeconds = outages.map(
      ({ from, to, share }) => share * Math.max(0, Math.min(end, to) - Math.max(end - range, from)),
    )
    return 10 * (1 - failedSeconds.reduce((sum, one) => sum + one, 0) / range)
  }
  return (expression, time) => {
    // steps with data: above the 720 of 30d in steps of 3600 s, so that coverage is 1
    if (expression.startsWith('count_over_time(')) return 8640
    const range = Number(/\[(\d+)s\]/.exec(expression)?.[1])
    const ok = okPerSecond(range, time)
    if (ok === null) return null
    if (expression.includes('/')) return ok / 10
    const perSecond = expression.includes('(ok[') ? ok : 10
    return expression.includes('increase(') ? perSecond * range : perSecond
  }
}
