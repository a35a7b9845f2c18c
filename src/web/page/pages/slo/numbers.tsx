import type { Budget, BurnRates, Slo, Tier } from '../../api/types.ts'
import { burnState, leadingTier } from '../../slo/burn.ts'
import {
  formatAgo,
  formatBudget,
  formatBurn,
  formatCount,
  formatDuration,
  formatMoment,
  formatNumber,
  formatPercent,
  formatSli,
  formatTarget,
  formatWindow,
} from '../../format.ts'
import { BudgetBar } from '../../slo/budget-bar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { HowHeading } from '../../ui/popover.tsx'
import { Skeleton } from '../../ui/read.tsx'
import { nowMs } from '../../ui/time.tsx'
import { words } from '../../words.ts'
import { formatReturn, largestReturn } from '../../slo/returns.ts'

/** Cards of SLI, remaining budget and burn rate, each with an explanation. */
export function Numbers({ slo, budget, burn }: { slo: Slo; budget: Budget; burn: BurnRates | undefined }) {
  return (
    <div class="numbers">
      <SliCard slo={slo} budget={budget} />
      <LeftCard slo={slo} budget={budget} />
      {burn ? (
        <BurnCard tiers={burn.tiers} budget={budget} />
      ) : (
        <section class="card number-card">
          <h2>Burn now</h2>
          <Skeleton heightPx={40} />
          <Skeleton heightPx={20} />
        </section>
      )}
    </div>
  )
}

function SliCard({ slo, budget }: { slo: Slo; budget: Budget }) {
  const { sli, coverage, events } = budget
  const isBelow = sli !== null && sli < slo.target
  return (
    <section class="card number-card">
      <HowHeading title={`SLI, ${formatWindow(slo.time_window)}`} of="SLI">
        {events ? (
          <p>
            {formatNumber(events.good)} good of {formatNumber(events.total)} in {formatWindow(slo.time_window)}:{' '}
            {formatNumber(events.good)} ÷ {formatNumber(events.total)} × 100 ={' '}
            {sli === null ? '–' : formatPercent(sli, 6)}
          </p>
        ) : (
          <p>
            The mean over each minute of {formatWindow(slo.time_window)} that was measured:{' '}
            {sli === null ? '–' : formatPercent(sli, 6)}
          </p>
        )}
      </HowHeading>
      <p class={`big${isBelow ? ' crit-text' : ''}`}>
        {sli === null ? '–' : formatSli(sli, slo.target)}
        <span class="unit">{sli !== null && '\u2009%'}</span>
        <StaleAge budget={budget} />
      </p>
      <p>target {formatTarget(slo.target)}</p>
      {coverage !== null && coverage < 0.999 && (
        <p class="muted">measured for {formatPercent(coverage * 100, 1)} of the window</p>
      )}
    </section>
  )
}

function LeftCard({ slo, budget }: { slo: Slo; budget: Budget }) {
  const { error_budget, events, minutes, forecast } = budget
  const left = error_budget.percentage_remaining
  const now = nowMs.value
  const back = largestReturn(budget.calendar)
  return (
    <section class="card number-card">
      <HowHeading title="Budget left" of="Budget left">
        <p>
          {formatTarget(slo.target)} % must be good, so {formatNumber(error_budget.total, 4).replace(/\.?0+$/, '')} %
          may fail.
        </p>
        {events && (
          <p>
            Of {formatNumber(events.total)} that is {formatNumber(events.allowed_bad)}; {formatNumber(events.bad)}{' '}
            failed: {formatNumber(events.bad)} ÷ {formatNumber(events.allowed_bad)} ={' '}
            {formatPercent(error_budget.percentage_used ?? 0, 2)} used.
          </p>
        )}
        {minutes.used !== null && (
          <p>
            In time: {formatDuration(minutes.used * 60)} of {formatDuration(minutes.allowed * 60)} as if everything had
            failed.
          </p>
        )}
      </HowHeading>
      <p class={`big${left !== null && left < 0 ? ' crit-text' : ''}`}>
        {left === null ? '–' : formatBudget(left)}
        <StaleAge budget={budget} />
      </p>
      <BudgetBar percent={left} isAlone />
      {events ? (
        <p>
          {formatCount(events.bad)} failed, {formatCount(events.allowed_bad)} allowed
        </p>
      ) : (
        <p>
          {minutes.used === null ? '–' : formatDuration(minutes.used * 60)} of {formatDuration(minutes.allowed * 60)}
        </p>
      )}
      {forecast.exhausts_at && (
        <p class="muted">
          {Date.parse(forecast.exhausts_at) <= now
            ? 'gone since'
            : `at the rate of the last ${formatWindow(forecast.basis_window)}, gone`}{' '}
          {formatMoment(Date.parse(forecast.exhausts_at), now)}
        </p>
      )}
      {back && <p class="muted">Comes back: {formatReturn(back, budget.time_window, now)}</p>}
    </section>
  )
}

function BurnCard({ tiers, budget }: { tiers: Tier[]; budget: Budget }) {
  const tier = leadingTier(tiers)
  if (!tier) {
    return (
      <section class="card number-card">
        <h2>Burn now</h2>
        <p class="big">–</p>
        <p class="muted">{budget.status_message ?? words.noData}</p>
      </section>
    )
  }
  const state = burnState(tier)
  const long = tier.long_burn_rate ?? 0
  return (
    <section class="card number-card">
      <HowHeading title="Burn now" of="Burn now">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Tier</th>
              <th scope="col">Long</th>
              <th scope="col">Short</th>
              <th scope="col">Threshold</th>
            </tr>
          </thead>
          <tbody>
            {tiers.map((each) => (
              <tr key={`${each.long_window}${each.factor}`}>
                <td>{each.severity}</td>
                <td>
                  {each.long_burn_rate === null ? '–' : formatBurn(each.long_burn_rate)} (
                  {formatWindow(each.long_window)})
                </td>
                <td>
                  {each.short_burn_rate === null ? '–' : formatBurn(each.short_burn_rate)} (
                  {formatWindow(each.short_window)})
                </td>
                <td>{formatBurn(each.factor)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>1× uses the budget in exactly the window. A tier fires while both rates are over its threshold.</p>
      </HowHeading>
      <p class={`big burn-${state}`}>
        {words.burn[state]} <span class="number">{formatBurn(long)}</span>
        <StaleAge budget={budget} />
      </p>
      <p>{burnSentence(tier)}</p>
    </section>
  )
}

/** Age of a stale value. */
function StaleAge({ budget: { stale, measured_at } }: { budget: Budget }) {
  if (!stale || measured_at === null) return null
  return (
    <span class="stale-age">
      <Icon name="clock" size={14} /> {formatAgo(Date.parse(measured_at), nowMs.value)}
    </span>
  )
}

/** Sentence about a tier's burn rate. */
export function burnSentence({ long_burn_rate: long, long_window, time_to_exhaustion_seconds: rest }: Tier): string {
  const over = formatWindow(long_window)
  if (long === null) return ''
  if (long < 0.05) return `Almost nothing failed in the last ${over}.`
  const rate = `${formatBurn(long)} as fast as the budget allows over ${over}`
  if (rest === null || rest <= 0) return `${rate}.`
  return `${rate}; at this rate the rest lasts ${formatDuration(rest)}.`
}
