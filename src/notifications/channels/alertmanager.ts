import { createHash } from 'node:crypto'
import { isoTime } from '../../clock.ts'
import { readAlertName } from '../alerts/alert-name.ts'
import { type AlertData, type IncidentData, linkToIncident } from '../notification-data.ts'
import {
  alertIn,
  type ChannelDeps,
  incidentIn,
  receiverKey,
  incidentOf,
  linkOf,
  type Message,
  type ThreadedIncident,
} from './channel.ts'

/**
 * Webhook payload of Prometheus Alertmanager, version 4 (prometheus.io/docs/alerting/latest/configuration, webhook_config), with one
 * alert, or one for each incident of a list. To the labels of the SLO it adds `alertname`, `severity`, `slo`, `slo_id` and `alert_key`, which
 * override SLO labels of the same name. `alert_key` matches a recovery to its alert: that of an incident is the same from its opening to
 * its end. A message is a firing alert `NinesMessage` with a unique key; a message about a rule is resolved from the start. `thread` and
 * `incident` are additions to the format.
 */
export function alertmanagerPayload(message: Message, { publicUrl }: Pick<ChannelDeps, 'publicUrl'>) {
  const status = message.event === 'recovery' || message.isAboutRule ? 'resolved' : 'firing'
  const incident = incidentIn(message)
  const key = incident ? message.threadKey : receiverKey(message)
  const alertname = message.list ? 'NinesIncidents' : nameOf(alertIn(message))
  const groupLabels = { alertname, alert_key: key }
  const alerts = message.list
    ? message.list.incidents.map((one) => alertOfListed(message, one, status, publicUrl()))
    : [alertOf(message, { status, alertname, key, incident }, publicUrl())]
  return {
    version: '4',
    groupKey: `{}:{alertname=${JSON.stringify(alertname)}, alert_key=${JSON.stringify(key)}}`,
    truncatedAlerts: 0,
    status,
    receiver: 'nines',
    groupLabels,
    commonLabels: message.list ? {} : (alerts[0]?.labels ?? {}),
    commonAnnotations: message.list
      ? { summary: message.subject, description: message.text }
      : (alerts[0]?.annotations ?? {}),
    externalURL: publicUrl(),
    alerts,
    thread: message.threadKey,
    incident: incident && incidentOf(incident),
  }
}

type Status = 'firing' | 'resolved'
type About = { status: Status; alertname: string; key: string; incident: IncidentData | null }

function alertOf(message: Message, { status, alertname, key, incident }: About, publicUrl: string) {
  const alert = alertIn(message)
  const data = message.slo?.data
  const writtenAt = isoTime(message.createdAtMs)
  const labels: Record<string, string> = {
    ...validLabels(data?.labels ?? {}),
    alertname,
    severity: alert?.severity ?? 'info',
    ...(message.slo && { slo: message.slo.data.slo_name, slo_id: String(message.slo.id) }),
    alert_key: key,
  }
  const annotations: Record<string, string> = {
    summary: message.subject,
    description: message.text,
    ...(data?.runbook_url && { runbook_url: data.runbook_url }),
    ...(incident && { incident_id: String(incident.id), incident_event: incident.event }),
    ...(incident?.cause && { cause: incident.cause.text }),
  }
  return {
    status,
    labels,
    annotations,
    startsAt: incident?.began_at ?? alert?.began_at ?? writtenAt,
    endsAt: status === 'resolved' ? (incident?.recovered_at ?? alert?.ended_at ?? writtenAt) : noEndTime,
    generatorURL: linkOf(message)?.url ?? publicUrl,
    fingerprint: fingerprintOf(key),
  }
}

/** Alert of one incident of a list, with the fingerprint that the incident has in messages of its own. */
function alertOfListed(message: Message, listed: ThreadedIncident, status: Status, publicUrl: string) {
  const { id, slo_id, slo_name, severity, event, began_at, recovered_at, is_down, thread: key } = listed
  const labels: Record<string, string> = {
    alertname: is_down ? 'SloDown' : 'BurnRateTooFast',
    severity,
    slo: slo_name,
    slo_id: String(slo_id),
    alert_key: key,
  }
  const annotations: Record<string, string> = {
    summary: slo_name,
    description: message.subject,
    incident_id: String(id),
    incident_event: event,
  }
  return {
    status,
    labels,
    annotations,
    startsAt: began_at,
    endsAt: status === 'resolved' ? (recovered_at ?? isoTime(message.createdAtMs)) : noEndTime,
    generatorURL: linkToIncident(publicUrl, id),
    fingerprint: fingerprintOf(key),
  }
}

/** `endsAt` of a firing alert, as Alertmanager writes it. */
const noEndTime = '0001-01-01T00:00:00Z'

/** Fingerprint of the key alone: severity and labels may change before the recovery of the same alert. */
function fingerprintOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16)
}

/** Alert name for the receiver, derived from the name of the alert. The alert type would not do: it differs in the recovery. */
function nameOf(alert: AlertData | null): string {
  if (alert === null) return 'NinesMessage'
  const name = readAlertName(alert.name)
  if (name.kind === 'burn_rate') return 'BurnRateTooFast'
  if (name.kind === 'condition') return name.condition === 'certificate' ? 'CertificateExpiring' : 'NinesCondition'
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
