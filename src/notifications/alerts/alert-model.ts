import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { OneOf, QueryId, Text } from '../../http/schemas.ts'
import { QueryTime } from '../../http/zoned-time.ts'
import type { BurnRate } from '../../slos/arithmetic/burn-rates.ts'
import { acknowledgedOf } from '../notification-data.ts'
import { SilenceInForce } from '../../slos/model.ts'
import { presentInForce } from '../silences/silence-model.ts'
import type { NamedSilence } from '../silences/silence-store.ts'
import type { SilenceIndex } from '../silences/silence-index.ts'
import { alertStateFilters, type AlertNotification, type ListedAlert } from './alert-list-store.ts'
import { causeOfAlert } from './alert-name.ts'
import { AlertNameFields, presentAlertName } from './alert-name-model.ts'
import { alertDataOf } from './draft.ts'

const severities = ['warning', 'critical', 'page', 'ticket'] as const

/**
 * Query parameters of alert lists. `start` and `end`: the alert fired at some time between them. `incident=none`: it belongs to no
 * incident.
 */
export const AlertFilter = {
  slo_id: t.Optional(QueryId),
  team_id: t.Optional(QueryId),
  severity: t.Optional(OneOf(severities)),
  incident: t.Optional(OneOf(['none'], 'none: only alerts that belong to no incident')),
  start: t.Optional(QueryTime()),
  end: t.Optional(QueryTime()),
}

export const AlertListQuery = t.Object({
  ...PageQuery,
  ...AlertFilter,
  state: t.Optional(OneOf(alertStateFilters)),
  include: t.Optional(OneOf(['notifications'])),
})

export const Acknowledgement = t.Object(
  { note: t.Optional(Text({ min: 0, max: 1000, lines: 'many' })) },
  { title: 'Acknowledgement', isOptional: true, examples: [{ note: 'The new release; rolling back' }] },
)

/** Notification of an alert or incident. */
export const AlertNotificationFields = t.Object({
  id: t.Number(),
  channel_id: t.Number(),
  channel_name: t.Nullable(t.String({ description: 'null where the channel has been deleted' })),
  channel_type: t.String(),
  status: t.String(),
  event: t.String(),
  error_message: t.String(),
  created_at: t.String(),
})

const MaybeNumber = t.Nullable(t.Number())

export const AcknowledgedFields = t.Nullable(t.Object({ by: t.String(), at: t.String(), note: t.String() }), {
  description: 'who acknowledged it and when; null: nobody',
})

/** Fields of an alert. `silenced`: a silence covers its SLO now. `notified`: notifications that were not throttled. */
const alert = {
  id: t.Number(),
  slo_id: t.Nullable(t.Number({ description: 'null: of nines itself' })),
  slo_name: t.Nullable(t.String()),
  incident_id: t.Nullable(t.Number({ description: 'the incident that it belongs to; null: none' })),
  name: t.String(),
  ...AlertNameFields,
  alert_type: t.String(),
  reason: t.Nullable(
    t.String({
      description:
        'of an outage: why the checks fail; of a condition: what is wrong; null: not known, or another alert',
    }),
  ),
  severity: t.String(),
  state: t.String(),
  began_at: t.String(),
  ended_at: t.Nullable(t.String()),
  duration_seconds: t.Number(),
  acknowledged: AcknowledgedFields,
  silenced: t.Boolean(),
  silence: t.Nullable(SilenceInForce, {
    description: 'of the silences in force that cover its SLO, the one that ends last',
  }),
  notified: t.Number(),
  peak_burn_rate: t.Nullable(
    t.Number({
      description:
        'of a tier: the highest burn rate over its long window while it fired, in times what the target allows',
    }),
  ),
  burn_rate: t.Nullable(
    t.Object({
      factor: t.Number(),
      long_window: t.String(),
      short_window: t.String(),
      long: MaybeNumber,
      short: MaybeNumber,
    }),
    { description: 'of a tier that fires: its burn rates as they were last measured' },
  ),
  budget_percent: t.Nullable(
    t.Number({
      description:
        'the share of the error budget that was used from begin to end, in percent of the budget of the window up to its end; null: not known',
    }),
  ),
  budget_resolution_seconds: t.Nullable(
    t.Number({ description: 'how exact that is: begin and end are rounded outward to a minute, an hour or a day' }),
  ),
}

export const AlertList = t.Object(
  {
    success: t.Literal(true),
    alerts: t.Array(t.Object({ ...alert, notifications: t.Optional(t.Array(AlertNotificationFields)) })),
    ...PageFields,
  },
  { title: 'AlertList' },
)

export const AlertResponse = t.Object(
  { success: t.Literal(true), data: t.Object({ ...alert, notifications: t.Array(AlertNotificationFields) }) },
  { title: 'AlertAnswer' },
)

/** Share of an error budget in percent. Begin and end of the alert are rounded outward to `resolutionSeconds`. */
export type BudgetCost = { percent: number; resolutionSeconds: number; excluded?: ExcludedCost }

/**
 * Cost of an alert of which corrections or service hours leave something out. `seconds`: time that does not count; `bad`: failed events, or
 * seconds, that count; `badWithout`, `percentWithout`: failures and cost as if nothing was left out. `resolution`: length
 * of the longest bucket of which only a share could be left out.
 */
export type ExcludedCost = {
  seconds: number
  bad: number
  badWithout: number
  percentWithout: number
  resolution: (typeof resolutions)[number]
}

export const resolutions = ['1m', '1h', '1d'] as const

/** Returns the error budget that each alert or incident consumed, by its id; see `createAlertCosts`. */
export type AlertCosts = (
  organizationId: number,
  alerts: { id: number; sloId: number | null; beganSeconds: number; endedSeconds: number | null }[],
) => Promise<Map<number, BudgetCost>>

/** Data on alerts from other tables. `silences` in force, the last to end first; `costs` by alert, `burnRates` by SLO. */
export type AlertContext = {
  silences: SilenceIndex<NamedSilence>
  costs: ReadonlyMap<number, BudgetCost>
  burnRates: ReadonlyMap<number | null, BurnRate[]>
  nowMs: number
}

export function presentAlert(row: ListedAlert, { silences, costs, burnRates, nowMs }: AlertContext) {
  const { id, slo_id, slo_name, name, severity, began_at, ended_at, notified, organization_id, labels } = row
  const isOfSlo = slo_id !== null && labels !== null
  const [silence] = isOfSlo ? silences.covering({ id: slo_id, organization_id, labels }) : []
  const cost = costs.get(id)
  return {
    id,
    slo_id,
    slo_name,
    incident_id: row.incident_id,
    name,
    ...presentAlertName(name),
    alert_type: name === 'down' ? name : causeOfAlert(row),
    reason: row.reason,
    severity,
    state: ended_at === null ? 'firing' : 'ended',
    began_at: isoTime(began_at * 1000),
    ended_at: ended_at === null ? null : isoTime(ended_at * 1000),
    duration_seconds: Math.max(0, (ended_at ?? Math.floor(nowMs / 1000)) - began_at), // the clock may be set back
    acknowledged: acknowledgedOf(row),
    silenced: silence !== undefined,
    silence: silence ? presentInForce(silence) : null,
    notified,
    peak_burn_rate: row.peak_burn_rate,
    burn_rate: ended_at === null ? alertDataOf(burnRates.get(slo_id) ?? [], row).burn_rate : null,
    budget_percent: cost?.percent ?? null,
    budget_resolution_seconds: cost?.resolutionSeconds ?? null,
  }
}

/** Notification as the API returns it. The response schema drops columns that are not API fields. */
export function presentNotification({
  created_at,
  ...rest
}: AlertNotification): Static<typeof AlertNotificationFields> {
  return { ...rest, created_at: isoTime(created_at) }
}
