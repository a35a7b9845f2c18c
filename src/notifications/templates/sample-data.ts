import { isoTime, minuteMs } from '../../clock.ts'
import { basisOf } from '../../slos/arithmetic/forecast.ts'
import { type AlertData, forecastOf, type IncidentData, linkToIncident, type SloData } from '../notification-data.ts'
import { type AlertType, causeOf } from '../causes.ts'
import type { Zone } from '../../zone.ts'
import type { TemplateData } from './template-data.ts'

/** Template data of a made-up alert, for an organization without one of that kind. */
export function sampleData(
  alertType: AlertType | 'manual',
  publicUrl: string,
  zone: Zone,
  nowMs: number,
): TemplateData {
  const cause = alertType === 'manual' ? 'manual' : causeOf[alertType]
  const alert = alertOf(cause, nowMs)
  const [value, used] = cause === 'recovery' ? [99.95, 50] : cause === 'warning' ? [99.87, 130] : [99.82, 180]
  const left = cause === 'error_budget_low' ? 24 : cause === 'burn_rate_too_fast' ? 62 : 100 - used
  const data: Omit<SloData, 'forecast'> = {
    slo_name: 'Checkout answers',
    description: 'Requests to the checkout that are not server errors',
    labels: { service: 'checkout', team: 'shop' },
    target: 99.9,
    time_window: '30d',
    status: cause === 'recovery' ? 'healthy' : cause === 'warning' ? 'warning' : 'critical',
    current_value: cause === 'burn_rate_too_fast' || cause === 'error_budget_low' ? 100 - (100 - left) / 1000 : value,
    error_budget_used: 100 - left,
    error_budget_remaining: left,
    error_budget_estimated: false,
    measured_at: isoTime(nowMs),
    runbook_url: 'https://wiki.example.com/runbooks/checkout',
    owner: 'Shop',
    policy: left <= 25 ? { percent_left: 25, text: 'Freeze of risky deploys', url: '' } : null,
    alert,
  }
  return {
    event: cause === 'manual' ? 'message' : cause === 'recovery' ? 'recovery' : 'alert',
    alertType,
    priority: 'high',
    sloId: 1,
    slo: { forecast: forecastOf(data), ...data, ...incidentOf(cause, alert, publicUrl) },
    link: `${publicUrl}/slos/1`,
    zone,
    nowMs,
  }
}

/** Made-up incident of a burn rate alert, with the forecast at the current burn rate; no incident for other causes. */
function incidentOf(
  cause: string,
  alert: AlertData | null,
  publicUrl: string,
): Pick<SloData, 'incident'> & Partial<Pick<SloData, 'forecast'>> {
  if (cause !== 'burn_rate_too_fast' || !alert) return { incident: null }
  const incident: IncidentData = {
    id: 1,
    event: 'opened',
    severity: 'critical',
    began_at: alert.began_at,
    since: alert.began_at,
    recovered_at: null,
    is_up: false,
    close_reason: null,
    relapses: 0,
    link: linkToIncident(publicUrl, 1),
    state: 'burning_fast',
    burn_rate: 20.5,
    recent: { seconds: 300, share: 0.0205, bad_events: 62, total_events: 3024 },
    cost: null,
    cause: {
      label: 'route',
      value: '/checkout',
      failures_percent: 100,
      traffic_percent: 32,
      text: 'route=/checkout has 100 % of the failures with 32 % of the traffic',
    },
  }
  const forecast = { exhausted_in_seconds: 78_390, burn_rate: 20.5, ...basisOf(300) }
  return { incident, forecast }
}

function alertOf(cause: string, nowMs: number): AlertData | null {
  if (cause === 'manual') return null
  const began_at = isoTime(nowMs - 42 * minuteMs)
  const common = { began_at, ended_at: null, outage: null, threshold: null, burn_rate: null, acknowledged: null }
  if (cause === 'burn_rate_too_fast') {
    const rates = { factor: 14.4, long_window: '1h', short_window: '5m', long: 16.2, short: 20.5 }
    return { ...common, name: 'burn_rate:3600:300', severity: 'page', burn_rate: rates }
  }
  if (cause === 'error_budget_low') return { ...common, name: 'budget:25', severity: 'warning', threshold: 25 }
  if (cause === 'error_budget_exhausted') return { ...common, name: 'budget:0', severity: 'critical', threshold: 0 }
  const severity = cause === 'warning' ? 'warning' : 'critical'
  return { ...common, name: 'status', severity, ended_at: cause === 'recovery' ? isoTime(nowMs) : null }
}
