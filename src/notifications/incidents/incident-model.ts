import { t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import type { AlertRow, IncidentEventRow, IncidentNoteRow } from '../../db/tables/tables.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { OneOf, QueryId, Text } from '../../http/schemas.ts'
import { QueryTime } from '../../http/zoned-time.ts'
import { allowedBad, burnedPercent, round10 } from '../../slos/arithmetic/budget.ts'
import { ownWindow } from '../../slos/arithmetic/own-window.ts'
import { SilenceInForce } from '../../slos/model.ts'
import {
  AcknowledgedFields,
  AlertNotificationFields,
  type BudgetCost,
  type ExcludedCost,
  resolutions,
} from '../alerts/alert-model.ts'
import { causeOfAlert } from '../alerts/alert-name.ts'
import { AlertNameFields, presentAlertName } from '../alerts/alert-name-model.ts'
import { acknowledgedOf } from '../notification-data.ts'
import type { SilenceIndex } from '../silences/silence-index.ts'
import { presentInForce } from '../silences/silence-model.ts'
import type { NamedSilence } from '../silences/silence-store.ts'
import { causeOfIncident } from './incident-cause.ts'
import { deployOf } from './incident-deploy.ts'
import type { DeployBefore } from './incident-deploy-store.ts'
import { IncidentAccount } from './incident-account-model.ts'
import { maxNotes } from './incident-actions.ts'
import { incidentFilters, type IncidentNotification, type ListedIncident } from './incident-list-store.ts'
import { type NotNotified, notNotifiedReasons } from './not-notified.ts'

const severities = ['warning', 'critical'] as const
const states = ['down', 'burning_fast', 'burning', 'recovering', 'unknown', 'closed'] as const
const closeReasons = ['recovered', 'by_hand', 'not_evaluated'] as const

export const IncidentListQuery = t.Object({
  ...PageQuery,
  slo_id: t.Optional(QueryId),
  team_id: t.Optional(QueryId),
  severity: t.Optional(OneOf(severities)),
  start: t.Optional(QueryTime()),
  end: t.Optional(QueryTime()),
  state: t.Optional(OneOf(incidentFilters)),
  include: t.Optional(OneOf(['notifications', 'not_notified'])),
})

export const IncidentNote = t.Object(
  { note: Text({ max: 1000, lines: 'many' }) },
  { title: 'IncidentNote', examples: [{ note: 'The new release; rolled back at 10:50' }] },
)

const MaybeNumber = t.Nullable(t.Number())
const MaybeText = t.Nullable(t.String())

const IncidentCauseFields = t.Object({
  label: t.String({ description: 'the label whose values explain the failures best' }),
  value: t.String({
    description: 'its value that failed most beyond its share of the traffic; empty: series without it',
  }),
  failures_percent: t.Number({ description: 'the share of all failures, in percent' }),
  traffic_percent: t.Nullable(
    t.Number({ description: 'the share of all events, in percent; null: it does not apply' }),
  ),
  text: t.String(),
})

const IncidentDeployFields = t.Object({
  id: t.Number({ description: 'of the annotation' }),
  title: t.String({ description: 'its kind, service and version, as in `deploy checkout v1.4.2`' }),
  url: t.String({ description: 'empty: none' }),
  seconds_before: t.Number({ description: 'seconds from it to the begin of the incident' }),
})

const ExcludedIncident = t.Object({
  seconds: t.Number({ description: 'how much of its time does not count, in seconds' }),
  unit: OneOf(['events', 'seconds'], 'what its SLO counts'),
  bad_events: t.Number({ description: 'how many failed that count, in the unit' }),
  bad_events_without: t.Number({ description: 'how many failed without corrections, in the unit' }),
  budget_percent_without: t.Number({
    description:
      'the share of the error budget without corrections, as if nothing was left out of the window, in percent',
  }),
  resolution: OneOf(
    resolutions,
    'the length of the longest bucket of which only a share could be left out; 1m: it is exact',
  ),
})

const incident = {
  id: t.Number(),
  slo_id: t.Number(),
  slo_name: t.String(),
  severity: OneOf(severities, 'the highest that it has had'),
  state: OneOf(states, 'the state of its SLO while it is open'),
  began_at: t.String({ description: 'the first failing minute or check' }),
  opened_at: t.String({ description: 'when an alert confirmed it' }),
  since: t.String({ description: 'began_at, or when it last began to fail again' }),
  recovered_at: t.Nullable(
    t.String({
      description: 'the end of its last failing minute; null: it still fails, or was closed before it recovered',
    }),
  ),
  closed_at: t.Nullable(t.String({ description: 'null: it is open' })),
  close_reason: t.Nullable(
    OneOf(
      closeReasons,
      'recovered: 15 minutes without failures; not_evaluated: its SLO was deleted or paused, its source removed, or nothing checks it any more; null: it is open',
    ),
  ),
  closed_by: t.Nullable(t.String({ description: 'who closed it by hand' })),
  duration_seconds: t.Number({
    description: 'seconds from began_at to its recovery or its end; up to now while it fails',
  }),
  relapses: t.Number({ description: 'how many times it failed again before it was closed' }),
  reason: t.Nullable(
    t.String({
      description:
        'of an outage: why the checks failed first, of a job why it fails now; and why nothing checks it any more; null: not known, or no outage',
    }),
  ),
  peak_burn_rate: t.Nullable(
    t.Number({ description: 'the highest burn rate over 5 minutes or a long window, in times what the target allows' }),
  ),
  burn_rate_now: t.Nullable(
    t.Number({
      description:
        'while it is open: burn rate over the last 5 minutes, or since it began, in times what the target allows; null: not known, or it is closed',
    }),
  ),
  cause: t.Nullable(IncidentCauseFields, {
    description: 'what fails, as the source last answered while it burned; null: not known, or no label explains it',
  }),
  deploy: t.Nullable(IncidentDeployFields, {
    description: 'the last deploy or change of its SLO in the 30 minutes before it began; null: there was none',
  }),
  acknowledged: AcknowledgedFields,
  silenced: t.Boolean(),
  silence: t.Nullable(SilenceInForce, {
    description: 'of the silences in force that cover its SLO, the one that ends last',
  }),
  notified: t.Number({ description: 'the number of its notifications, without throttled ones' }),
  budget_percent: t.Nullable(
    t.Number({
      description:
        'the share of the error budget that was used from begin to recovery, in percent of the budget of the window up to then; null: not known',
    }),
  ),
  budget_resolution_seconds: t.Nullable(
    t.Number({
      description:
        'how exact budget_percent is: begin and end are rounded outward to a minute, an hour or a day; those of an outage to a second',
    }),
  ),
  excluded: t.Nullable(ExcludedIncident, {
    description:
      'part of it that corrections and service hours exclude, and that its cost does not include; null: none',
  }),
}

const IncidentAlert = t.Object({
  id: t.Number(),
  name: t.String(),
  ...AlertNameFields,
  alert_type: t.String(),
  reason: t.Nullable(t.String({ description: 'of an outage: why the checks fail; null: not known, or another alert' })),
  severity: t.String(),
  began_at: t.String(),
  ended_at: t.Nullable(t.String({ description: 'null: it fires' })),
  peak_burn_rate: MaybeNumber,
})

const IncidentHistoryEvent = t.Object({
  event: OneOf(
    ['rose', 'recovered', 'again', 'acknowledged', 'withdrawn'],
    'rose: its severity became critical; again: it failed again; withdrawn: its acknowledgement was withdrawn',
  ),
  at: t.String(),
  by: t.Nullable(
    t.String({ description: 'who acknowledged it or withdrew the acknowledgement; null for other events' }),
  ),
  note: t.Nullable(t.String({ description: 'of an acknowledgement; empty: none' })),
})

const SentNotification = t.Object({
  ...AlertNotificationFields.properties,
  alert_id: MaybeNumber,
  incident_event: t.Nullable(
    t.String({ description: 'opened, rose, again, flapping or recovered; null: it is about one of its alerts' }),
  ),
  sent_at: MaybeText,
})

const SentNotifications = t.Array(SentNotification, { description: 'oldest first; the newest 500' })

const NotNotifiedChannel = t.Object({
  channel_id: t.Number(),
  channel_name: t.String(),
  channel_type: t.String(),
  reason: OneOf(
    notNotifiedReasons,
    'throttled: its rule notified not long ago, or of the same text; next_evaluation: rule or channel were changed after the ' +
      'last evaluation; inhibited: by a more severe alert, which no rule of the channel selects',
  ),
  by: t.Nullable(t.String({ description: 'who acknowledged it or made the silence' })),
  until: t.Nullable(t.String({ description: 'the end of the silence, or of the `min_interval_seconds` of the rule' })),
  message: t.Nullable(t.String({ description: 'the error of the delivery, or the comment of the silence' })),
})

const NotNotifiedChannels = t.Array(NotNotifiedChannel, {
  description: 'channels that were not notified of it, and why',
})

const OpenCount = t.Number({ description: 'the number of open incidents' })

export const IncidentList = t.Object(
  {
    success: t.Literal(true),
    incidents: t.Array(
      t.Object({
        ...incident,
        notifications: t.Optional(SentNotifications),
        not_notified: t.Optional(NotNotifiedChannels),
      }),
    ),
    open_unacknowledged: t.Number({
      description: 'how many incidents of the organization are open and not acknowledged, whatever the filter',
    }),
    open_by_state: t.Object(
      { down: OpenCount, burning_fast: OpenCount, burning: OpenCount, recovering: OpenCount, unknown: OpenCount },
      { description: 'how many incidents of the organization are open, by state, whatever the filter' },
    ),
    ...PageFields,
  },
  { title: 'IncidentList' },
)

export const IncidentResponse = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({
      ...incident,
      alerts: t.Array(IncidentAlert, { description: 'oldest first; the newest 500' }),
      history: t.Array(IncidentHistoryEvent, {
        description: 'what happened between its begin and its end, oldest first; the newest 500',
      }),
      notes: t.Array(t.Object({ id: t.Number(), by: t.String(), note: t.String(), created_at: t.String() }), {
        description: `oldest first; at most ${maxNotes}`,
      }),
      account: t.Nullable(IncidentAccount, { description: 'what people wrote about it; null: nothing' }),
      notifications: SentNotifications,
      not_notified: NotNotifiedChannels,
    }),
  },
  { title: 'IncidentAnswer' },
)

/** Data on incidents from other tables. `silences`: those in force, the last to end first. `costs`, `deploys`: by incident id. */
export type IncidentContext = {
  silences: SilenceIndex<NamedSilence>
  costs: ReadonlyMap<number, BudgetCost>
  deploys: ReadonlyMap<number, DeployBefore>
  nowMs: number
}

export function presentIncident(row: ListedIncident, { silences, costs, deploys, nowMs }: IncidentContext) {
  const deploy = deploys.get(row.id)
  const { id, slo_id, slo_name, severity, state, organization_id, labels, began_at, recovered_at, closed_at } = row
  const [silence] = silences.covering({ id: slo_id, organization_id, labels })
  const stored = costs.get(id)
  const excluded = stored?.excluded
  const cost = excluded ? stored : (outageCost(row) ?? stored) // the duration of an outage ignores corrections and service hours
  return {
    id,
    slo_id,
    slo_name,
    severity,
    state,
    began_at: isoTime(began_at * 1000),
    opened_at: isoTime(row.opened_at * 1000),
    since: isoTime(row.since * 1000),
    recovered_at: timeOf(recovered_at),
    closed_at: timeOf(closed_at),
    close_reason: row.close_reason,
    closed_by: row.closed_by_name,
    duration_seconds: Math.max(0, (endOf(row) ?? Math.floor(nowMs / 1000)) - began_at), // the clock may be set back
    relapses: row.relapses,
    reason: row.reason,
    peak_burn_rate: row.peak_burn_rate,
    burn_rate_now: closed_at === null ? row.burn_rate_now : null,
    cause: causeOfIncident(row),
    deploy: deploy ? deployOf(deploy) : null,
    acknowledged: acknowledgedOf(row),
    silenced: silence !== undefined,
    silence: silence ? presentInForce(silence) : null,
    notified: row.notified,
    budget_percent: cost?.percent ?? null,
    budget_resolution_seconds: cost?.resolutionSeconds ?? null,
    excluded: excluded ? presentExcluded(row, excluded) : null,
  }
}

function presentExcluded({ total_events }: ListedIncident, excluded: ExcludedCost): typeof ExcludedIncident.static {
  return {
    seconds: excluded.seconds,
    unit: total_events === null ? 'seconds' : 'events',
    bad_events: round10(excluded.bad),
    bad_events_without: round10(excluded.badWithout),
    budget_percent_without: excluded.percentWithout,
    resolution: excluded.resolution,
  }
}

/**
 * Share of the budget of the whole window that an outage without relapses used. Computed from its duration, as in its notification,
 * because the ledger (the stored sums of minutes) may not have its last minute yet. Null: the incident is no such outage, or has not
 * recovered.
 */
function outageCost(row: ListedIncident): { percent: number; resolutionSeconds: number } | null {
  const { reason, relapses, own_value, total_events, began_at, recovered_at, target, time_window, time_zone } = row
  if (reason === null || relapses > 0 || own_value === null || total_events !== null) return null
  const allowed = allowedBad(ownWindow({ time_window, time_zone }, recovered_at ?? began_at).wholeSeconds, target)
  if (recovered_at === null || allowed <= 0) return null
  return { percent: round10(burnedPercent(Math.max(0, recovered_at - began_at), allowed)), resolutionSeconds: 1 }
}

/** Time in Unix seconds at which an incident recovered, or was closed without recovery; null: it still fails. */
export function endOf({ recovered_at, closed_at }: ListedIncident): number | null {
  return recovered_at ?? closed_at
}

export function presentIncidentAlert(row: AlertRow): typeof IncidentAlert.static {
  const { id, name, severity, reason, began_at, ended_at, peak_burn_rate } = row
  const alert_type = name === 'down' ? name : causeOfAlert(row)
  const times = { began_at: isoTime(began_at * 1000), ended_at: timeOf(ended_at) }
  return { id, name, ...presentAlertName(name), alert_type, reason, severity, ...times, peak_burn_rate }
}

export function presentIncidentEvent(row: IncidentEventRow): typeof IncidentHistoryEvent.static {
  return { event: row.event, at: isoTime(row.at * 1000), by: row.user_name, note: row.note }
}

export function presentNote({ id, user_name: by, note, created_at }: IncidentNoteRow) {
  return { id, by, note, created_at: isoTime(created_at) }
}

export function presentSent({ sent_at, created_at, ...rest }: IncidentNotification): typeof SentNotification.static {
  return { ...rest, sent_at: isoTimeOrNull(sent_at), created_at: isoTime(created_at) }
}

export function presentNotNotified(one: NotNotified): typeof NotNotifiedChannel.static {
  return {
    channel_id: one.channelId,
    channel_name: one.channelName,
    channel_type: one.channelType,
    reason: one.reason,
    by: one.by ?? null,
    until: isoTimeOrNull(one.untilMs ?? null),
    message: one.message ?? null,
  }
}

function timeOf(seconds: number | null): string | null {
  return seconds === null ? null : isoTime(seconds * 1000)
}
