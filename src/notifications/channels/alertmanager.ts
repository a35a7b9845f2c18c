import { createHash } from 'node:crypto'
import { isoTime } from '../../clock.ts'
import { readAlertName } from '../alerts/alert-name.ts'
import type { AlertData } from '../notification-data.ts'
import { alertIn, type ChannelDeps, incidentKey, type Message } from './channel.ts'

/**
 * The webhook payload of Prometheus Alertmanager, version 4, with one alert
 * (prometheus.io/docs/alerting/latest/configuration, webhook_config). Beside the labels of the SLO, which give way where
 * they have the same name, there are `alertname`, `severity`, `slo`, `slo_id` and `alert_key`, by which two tiers of one
 * SLO differ and a recovery finds its alert. A message is a firing alert `NinesMessage` with a key of its own; one about a
 * rule is resolved from the start.
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
        // of the key alone: severity and labels may change before the recovery, and it is still the same alert
        fingerprint: createHash('sha256').update(key).digest('hex').slice(0, 16),
      },
    ],
  }
}

/** By what the alert is called, and not by the type of alert, which is another one in its recovery. */
function nameOf(alert: AlertData | null): string {
  if (alert === null) return 'NinesMessage'
  const name = readAlertName(alert.name)
  if (name.kind === 'burn_rate') return 'BurnRateTooFast'
  if (name.kind === 'condition') return 'NinesCondition'
  if (name.kind === 'status') return 'SloBelowTarget'
  return name.threshold > 0 ? 'ErrorBudgetLow' : 'ErrorBudgetExhausted'
}

/** Names Prometheus takes: without dots and hyphens, and without the two underscores in front that are its own. */
function validLabels(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [name.replace(/[.-]/g, '_').replace(/^__+/, '_'), value]),
  )
}
