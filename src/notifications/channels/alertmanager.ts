import { createHash } from 'node:crypto'
import { isoTime } from '../../clock.ts'
import { readAlertName } from '../alerts/alert-name.ts'
import type { AlertData } from '../notification-data.ts'
import { alertIn, type ChannelDeps, incidentKey, type Message } from './channel.ts'

/**
 * Webhook payload of Prometheus Alertmanager, version 4, with one alert (prometheus.io/docs/alerting/latest/configuration,
 * webhook_config). To the labels of the SLO it adds `alertname`, `severity`, `slo`, `slo_id` and `alert_key`, which override
 * SLO labels of the same name. `alert_key` tells two tiers of one SLO apart and matches a recovery to its alert. A message is a
 * firing alert `NinesMessage` with a unique key; a message about a rule is resolved from the start.
 */
export function alertmanagerPayload(message: Message, { publicUrl }: Pick<ChannelDeps, 'publicUrl'>) {
  const alert = alertIn(message)
  const status = message.event === 'recovery' || message.isAboutRule ? 'resolved' : 'firing'
  const writtenAt = isoTime(message.createdAtMs)
  const key = incidentKey(message)
  const alertname = nameOf(alert)
  const labels = {
    ...validLabels(message.slo?.data.labels ?? {}),
    alertname,
    severity: alert?.severity ?? 'info',
    ...(message.slo && { slo: message.slo.data.slo_name, slo_id: String(message.slo.id) }),
    alert_key: key,
  }
  const annotations = { summary: message.subject, description: message.text }
  return {
    version: '4',
    groupKey: `{}:{alertname=${JSON.stringify(alertname)}, alert_key=${JSON.stringify(key)}}`,
    truncatedAlerts: 0,
    status,
    receiver: 'nines',
    groupLabels: { alertname, alert_key: key },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: publicUrl(),
    alerts: [
      {
        status,
        labels,
        annotations,
        startsAt: alert?.began_at ?? writtenAt,
        endsAt: status === 'resolved' ? (alert?.ended_at ?? writtenAt) : '0001-01-01T00:00:00Z',
        generatorURL: message.slo?.link ?? publicUrl(),
        // of the key alone: severity and labels may change before the recovery of the same alert
        fingerprint: createHash('sha256').update(key).digest('hex').slice(0, 16),
      },
    ],
  }
}

/** Alert name for the receiver, derived from the name of the alert. The alert type would not do: it differs in the recovery. */
function nameOf(alert: AlertData | null): string {
  if (alert === null) return 'NinesMessage'
  const name = readAlertName(alert.name)
  if (name.kind === 'burn_rate') return 'BurnRateTooFast'
  if (name.kind === 'condition') return 'NinesCondition'
  if (name.kind === 'down') return 'SloDown'
  if (name.kind === 'status') return 'SloBelowTarget'
  return name.threshold > 0 ? 'ErrorBudgetLow' : 'ErrorBudgetExhausted'
}

/** Labels with names that Prometheus accepts: no dots, no hyphens, and no reserved `__` prefix. */
function validLabels(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [name.replace(/[.-]/g, '_').replace(/^__+/, '_'), value]),
  )
}
