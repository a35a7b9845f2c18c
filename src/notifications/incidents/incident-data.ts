import { isoTime } from '../../clock.ts'
import type { IncidentRow } from '../../db/tables/tables.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'
import { basisOf, secondsLeft } from '../../slos/arithmetic/forecast.ts'
import type { SloState } from '../../slos/arithmetic/state.ts'
import {
  type Forecast,
  type IncidentCost,
  type IncidentData,
  type IncidentDeploy,
  linkToIncident,
  ownWindowOf,
  type SloData,
} from '../notification-data.ts'
import { causeOfIncident } from './incident-cause.ts'
import type { IncidentHeader } from '../outbox-store.ts'

/** Figures of an incident that its messages contain. `cost`: what it used of the budget, known once it has recovered. */
export type IncidentFigures = { state: SloState; burnRateNow: number | null; cost: IncidentCost | null }

type Parts = {
  incident: IncidentRow
  header: IncidentHeader
  evaluation: Pick<Evaluation, 'recent'>
  figures: IncidentFigures | null
  deploy?: IncidentDeploy | undefined
  publicUrl: string
}

/** Adds an incident to the data of a notification, and the forecast at the burn rate now while the SLO is down or burns fast. */
export function withIncident(
  data: SloData,
  { incident, header, evaluation, figures, deploy, publicUrl }: Parts,
): SloData {
  const { id, severity, began_at, since, recovered_at, closed_at, close_reason } = incident
  const endedSeconds = recovered_at ?? closed_at
  const state = figures?.state ?? null
  const isFast = state === 'down' || state === 'burning_fast'
  const rateNow = isFast ? (figures?.burnRateNow ?? null) : null
  const incidentData: IncidentData = {
    id,
    event: header.event,
    severity,
    began_at: isoTime(began_at * 1000),
    recovered_at: endedSeconds === null ? null : isoTime(endedSeconds * 1000),
    is_up: (closed_at === null || recovered_at !== null) && data.alert?.outage?.is_up !== false,
    close_reason,
    relapses: header.relapse,
    since: isoTime(since * 1000),
    link: linkToIncident(publicUrl, id),
    state,
    burn_rate: rateNow ?? data.alert?.burn_rate?.long ?? null,
    recent: recentOf(evaluation, data.target),
    cost: figures?.cost ?? null,
    cause: causeOfIncident(incident),
    ...(deploy && { deploy }),
  }
  const forecast = header.event === 'recovered' ? null : (forecastNow(data, rateNow, evaluation) ?? data.forecast)
  return { ...data, forecast, incident: incidentData }
}

function recentOf({ recent }: Pick<Evaluation, 'recent'>, target: number): IncidentData['recent'] {
  if (!recent || recent.rate === null) return null
  const { seconds, rate, events, badEvents } = recent
  // a burn rate of 1 is a failing share of `100 - target` percent
  const share = events !== null && badEvents !== null ? badEvents / events : (rate * (100 - target)) / 100
  return Number.isFinite(share) ? { seconds, share, bad_events: badEvents, total_events: events } : null
}

function forecastNow(data: SloData, rate: number | null, { recent }: Pick<Evaluation, 'recent'>): Forecast | null {
  if (rate === null || !Number.isFinite(rate) || rate <= 0) return null
  const [own, remaining] = [ownWindowOf(data), data.error_budget_remaining]
  if (own === null || remaining === null || remaining <= 0) return null
  const seconds = secondsLeft(remaining, rate, own)
  return seconds === null
    ? null
    : { exhausted_in_seconds: seconds, burn_rate: rate, ...basisOf(recent?.seconds ?? 300) }
}
