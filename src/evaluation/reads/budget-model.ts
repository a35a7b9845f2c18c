import { t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { OneOf } from '../../http/schemas.ts'
import { budgetTotal, presentWindowBudget, WindowBudgetFields, WindowSeconds } from '../../sli/model.ts'
import { allowedBad, errorBudget, minutesOf, statuses, round10, windowBudget } from '../../slos/arithmetic/budget.ts'
import { lineInForce } from '../../slos/arithmetic/budget-policy.ts'
import { readPolicyInForce } from '../../slos/budget-policy.ts'
import { LineInForceResponse } from '../../slos/budget-policy-model.ts'
import type { OwnWindow } from '../../slos/arithmetic/own-window.ts'
import { basisOf, burnRateToContinue, fastBasisSeconds, forecastBasis } from '../../slos/arithmetic/forecast.ts'
import { windowName, windowSeconds } from '../../slos/arithmetic/windows.ts'
import { ExcludedFields, resolutionName } from '../corrections/model.ts'
import { finite } from './burn-rates-model.ts'
import type { CurrentState } from '../read-state.ts'
import type { MeasuredSlo } from './measured-slo.ts'
import { presentState, stateFields } from './state-model.ts'

const MaybeNumber = t.Nullable(t.Number())
const MaybeText = t.Nullable(t.String())

/** Running period of a calendar window, for the API. */
const Period = t.Nullable(
  t.Object({ starts_at: t.String(), ends_at: t.String(), time_zone: t.String({ description: 'IANA name' }) }),
  { description: 'the calendar period that the figures are of; null: the window moves with time' },
)

export const SloBudget = t.Object(
  {
    slo_id: t.Number(),
    target: t.Number(),
    time_window: t.String(),
    window_seconds: WindowSeconds,
    period: Period,
    status: OneOf(statuses),
    status_reason: MaybeText,
    status_message: MaybeText,
    ...stateFields,
    measured_at: MaybeText,
    age_seconds: MaybeNumber,
    stale: t.Boolean(),
    sli: MaybeNumber,
    coverage: MaybeNumber,
    error_budget: t.Object({
      total: budgetTotal,
      used: MaybeNumber,
      remaining: MaybeNumber,
      percentage_used: MaybeNumber,
      percentage_remaining: MaybeNumber,
      ...WindowBudgetFields,
    }),
    policy: t.Nullable(LineInForceResponse, {
      description: 'the line that holds now, of the error budget policy of the SLO, else of its team; null: none does',
    }),
    excluded: t.Nullable(ExcludedFields, {
      description:
        'what corrections and service hours leave out of the window, and of all other figures; null: nothing, or the SLO is a composite, whose members have it',
    }),
    first_sample_at: t.Nullable(
      t.String({ description: 'when the data that nines has of this SLO, as it is measured now, begin' }),
    ),
    events: t.Nullable(
      t.Object({
        good: t.Number(),
        total: t.Number({ description: 'how many events the window has' }),
        bad: t.Number(),
        allowed_bad: t.Number(),
        remaining_bad: t.Number(),
      }),
    ),
    minutes: t.Object(
      {
        allowed: t.Number({ description: 'how many minutes of the window may fail' }),
        used: t.Nullable(t.Number({ description: 'how many of them are used' })),
        remaining: t.Nullable(t.Number({ description: 'how many of them remain; below 0 where they are overspent' })),
      },
      { description: 'the error budget as minutes in which everything fails' },
    ),
    composite: t.Nullable(
      t.Object({
        method: t.String(),
        on_unknown_member: t.String(),
        resolution: t.String({ description: 'length of the buckets at the start of the window: 1m, 1h or 1d' }),
        is_known: t.Boolean({ description: 'false: nothing is known of its window' }),
        members: t.Array(
          t.Object({
            slo_id: t.Number(),
            name: t.String(),
            weight: t.Number({ description: 'how many times as much it counts as one of weight 1' }),
            sli: MaybeNumber,
            coverage: t.Number(),
            share_of_used_percent: t.Nullable(
              t.Number({
                description:
                  'its part of the budget that is used, in percent; the parts of all members add up to 100; null: it does not count',
              }),
            ),
            problem: t.Nullable(
              t.String({ description: 'why nothing is known of it, for example `is paused`; null: it is measured' }),
            ),
          }),
        ),
      }),
      { description: 'its members over its own window; null: it is measured by queries, or was not measured yet' },
    ),
    burn_down: t.Array(
      t.Object({
        timestamp: t.String(),
        remaining_percent: MaybeNumber,
        remaining_percent_without: t.Optional(
          t.Nullable(t.Number(), {
            description:
              'percent of the budget that would be left without corrections and service hours; absent: nothing is left out of the window',
          }),
        ),
        ideal_percent: t.Number(),
        coverage: t.Number(),
      }),
    ),
    calendar: t.Array(
      t.Object({
        starts_at: t.String(),
        ends_at: t.String(),
        gives_back_percent: t.Number({
          description:
            'percent of the budget that comes back in this time, as the failures that used it leave the window',
        }),
        remaining_after_percent: t.Number({
          description: 'percent of the budget that remains at its end if nothing else fails',
        }),
      }),
      {
        description:
          'when used budget comes back: by days of UTC, for windows of 4h to 48h by hours, below by five minutes, without those ' +
          'that give nothing back; for a calendar window, on the first day of the next period, in its time zone',
      },
    ),
    forecast: t.Object({
      exhausted: t.Nullable(t.Boolean()),
      exhausts_at: MaybeText,
      burn_rate: MaybeNumber,
      basis: t.String({ description: 'what is extrapolated, in words' }),
      basis_window: t.String(),
      basis_seconds: t.Number(),
      reason: t.Nullable(t.String({ description: 'why there is no forecast, in a sentence; null: there is one' })),
    }),
  },
  { title: 'SloBudget' },
)

function presentPeriod({ time_zone }: SloRow, { startSeconds, nextSeconds }: OwnWindow) {
  if (nextSeconds === null || time_zone === null) return null
  return { starts_at: isoTime(startSeconds * 1000), ends_at: isoTime(nextSeconds * 1000), time_zone }
}

/** Window whose burn rate the forecast continues: the rate of the time that was measured, not the rate that tiers read. */
export function forecastWindows({ time_window }: SloRow) {
  return { lengths: [windowSeconds(forecastBasis(time_window))], areForTiers: false }
}

/** Presents a budget. Status, state, age and policy are those of now; all other figures are as of `measured_at`, however long ago. */
export function presentBudget(read: MeasuredSlo) {
  const { slo, currentState, measured, budget, windowShare, burnDown, calendar } = read
  const { total, used, remaining, percentageUsed } = budget
  const minutes = (windowPercent: number) => minutesOf(read.own.wholeSeconds, windowPercent)
  const { usedPercent } = read.windowBudget
  const excluded = excludedFields(read)
  const usedWithout = excluded && usedWithoutCorrections(read, excluded.budget_used_percent_without)
  const usedOfWindow = used === null || windowShare === null ? null : used * windowShare
  return {
    slo_id: slo.id,
    target: slo.target,
    time_window: slo.time_window,
    window_seconds: read.own.wholeSeconds,
    period: presentPeriod(slo, read.own),
    status: currentState.status,
    status_reason: currentState.reason,
    status_message: currentState.message,
    ...presentState(currentState),
    measured_at: measured && isoTime(measured.measured_at),
    age_seconds: currentState.ageSeconds,
    stale: currentState.isStale,
    sli: round10(measured?.own_value ?? null),
    coverage: burnDown.at(-1)?.coverage ?? null, // not as stored: a backfill may have added to it since
    error_budget: {
      total,
      used,
      remaining,
      percentage_used: percentageUsed,
      percentage_remaining: remainingOf(percentageUsed),
      ...presentWindowBudget(read.windowBudget),
    },
    policy: lineInForce(readPolicyInForce(slo), remainingOf(usedPercent)),
    excluded,
    first_sample_at: isoTimeOrNull(measured?.first_sample_at ?? null),
    events: events(read),
    minutes: {
      allowed: minutes(total),
      used: usedOfWindow === null ? null : minutes(usedOfWindow),
      remaining: usedOfWindow === null ? null : minutes(total - usedOfWindow),
    },
    composite: read.members,
    burn_down: burnDown.map((point, at) => ({
      timestamp: isoTime(point.atSeconds * 1000),
      // The last point is the budget itself: the ledger may be less exact about the window's first minutes.
      remaining_percent: remainingOf((at === burnDown.length - 1 ? usedPercent : null) ?? point.burnedPercent),
      ...(point.burnedPercentWithout !== undefined && {
        remaining_percent_without: remainingOf(
          (at === burnDown.length - 1 ? usedWithout : null) ?? point.burnedPercentWithout,
        ),
      }),
      ideal_percent: round10(point.idealPercent),
      coverage: point.coverage,
    })),
    calendar: calendar.map(({ startSeconds, endSeconds, givesBack, usedAfter }) => ({
      starts_at: isoTime(startSeconds * 1000),
      ends_at: isoTime(endSeconds * 1000),
      gives_back_percent: round10(givesBack),
      remaining_after_percent: round10(100 - usedAfter),
    })),
    forecast: forecast(read),
  }
}

function excludedFields({ excluded, slo, own }: MeasuredSlo): typeof ExcludedFields.static | null {
  if (excluded === null) return null
  const { seconds, good, total, coarsest, counted } = excluded
  const all = counted.total + total
  const sli = all > 0 ? Math.min(100, (100 * (counted.good + good)) / all) : null
  return {
    seconds,
    good: round10(good),
    total: round10(total),
    share: round10(Math.min(1, seconds / Math.max(1, own.seconds))),
    sli_without: round10(sli),
    budget_used_percent_without: errorBudget(sli, slo.target).percentageUsed,
    resolution: resolutionName(coarsest),
  }
}

/** Budget of the whole window that would be used without corrections, in percent. `usedPercent`: of the time since the first sample. */
function usedWithoutCorrections({ slo, windowShare, measured }: MeasuredSlo, usedPercent: number | null) {
  const countsEvents = (measured?.total_events ?? null) !== null
  return windowBudget(usedPercent, slo.target, { windowShare, countsEvents }).usedPercent
}

function remainingOf(usedPercent: number | null): number | null {
  return usedPercent === null ? null : round10(100 - usedPercent)
}

function events({ slo, measured }: MeasuredSlo) {
  const { good_events: good = null, total_events: total = null } = measured ?? {}
  if (good === null || total === null) return null
  const bad = round10(total - good)
  const allowed = allowedBad(total, slo.target)
  return { good, total, bad, allowed_bad: allowed, remaining_bad: round10(allowed - bad) }
}

/** Presents the forecast; a stale state has no `exhausts_at`. */
function forecast({ slo, currentState, measured, windowBudget, rateOver, secondsToExhaustion }: MeasuredSlo) {
  const rateToContinue = burnRateToContinue(currentState)
  const seconds = rateToContinue === null ? windowSeconds(forecastBasis(slo.time_window)) : fastBasisSeconds
  const rate = rateToContinue ?? rateOver(seconds)?.rate ?? null
  const exhausted = windowBudget.usedPercent === null ? null : windowBudget.usedPercent >= 100
  const leftSeconds = exhausted || currentState.isStale ? null : secondsToExhaustion(rate)
  const exhaustsAt = measured && leftSeconds !== null ? isoTime(measured.measured_at + leftSeconds * 1000) : null
  return {
    exhausted,
    exhausts_at: exhaustsAt,
    burn_rate: finite(rate),
    basis_window: windowName(seconds),
    ...basisOf(seconds),
    reason: rate !== null && exhausted !== null ? null : unknownReason(currentState, exhausted, seconds),
  }
}

/** Reason, as a sentence, why there is no forecast from the last `seconds`. `exhausted` null: the budget used is not known. */
function unknownReason(
  { status, message, lastMeasured }: CurrentState,
  exhausted: boolean | null,
  seconds: number,
): string {
  if (status === 'unknown' && !lastMeasured && message !== null) return message.endsWith('.') ? message : `${message}.`
  return exhausted === null
    ? 'The past is still being filled in.'
    : `Less than half of the last ${windowName(seconds)} was measured.`
}
