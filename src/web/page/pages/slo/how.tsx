import type { Budget, Slo, Tier } from '../../api/types.ts'
import { formatBurn, formatNumber, formatPercent, formatShort, formatTarget, formatWindow } from '../../format.ts'
import { leftPercent, ofAllowed } from '../../slo/budget-words.ts'
import { methodSentence } from '../../slo/journey-words.ts'
import { severityWords } from '../../slo/recipients/recipients.ts'

type Shown = { slo: Slo; budget: Budget }

/** Calculation of the SLI. */
export function SliHow({ slo, budget: { sli, events } }: Shown) {
  return events ? (
    <p>
      {formatNumber(events.good)} good of {formatNumber(events.total)} in {formatWindow(slo.time_window)}:{' '}
      {formatNumber(events.good)} ÷ {formatNumber(events.total)} × 100 = {sli === null ? '–' : formatPercent(sli, 6)}
    </p>
  ) : slo.composite ? (
    <p>
      {methodSentence(slo.composite.method)}, each over {formatWindow(slo.time_window)}:{' '}
      {sli === null ? '–' : formatPercent(sli, 6)}
    </p>
  ) : (
    <p>
      The mean over each minute of {formatWindow(slo.time_window)} that was measured:{' '}
      {sli === null ? '–' : formatPercent(sli, 6)}
    </p>
  )
}

/** Calculation of the budget that is left. */
export function LeftHow({ slo, budget }: Shown) {
  const { error_budget, events, minutes } = budget
  const left = leftPercent(error_budget)
  return (
    <>
      <p>
        {formatTarget(slo.target)} % must be good, so {formatShort(error_budget.total, 4)} % may fail.
      </p>
      {events && (
        <p>
          Of {formatNumber(events.total)} that is {formatNumber(events.allowed_bad)}; {formatNumber(events.bad)} failed:{' '}
          {formatNumber(events.bad)} ÷ {formatNumber(events.allowed_bad)} ={' '}
          {formatPercent(error_budget.percentage_used ?? 0, 2)} used.
        </p>
      )}
      {left !== null && error_budget.window_percent_used !== error_budget.percentage_used && (
        <p>
          There is data for a part of the window only: of the budget of the whole{' '}
          {formatWindow(slo.time_window).replace(/^the /, '')} that is {formatPercent(100 - left, 2)}, if the traffic
          stays as it is.
        </p>
      )}
      {minutes.used !== null && (
        <p>In time: {ofAllowed((100 * minutes.used) / minutes.allowed, budget)} as if everything had failed.</p>
      )}
    </>
  )
}

/** Burn rates of all tiers, and their thresholds. */
export function BurnHow({ tiers }: { tiers: readonly Tier[] }) {
  return (
    <>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col">Long</th>
            <th scope="col">Short</th>
            <th scope="col">Above</th>
          </tr>
        </thead>
        <tbody>
          {tiers.map((each) => (
            <tr key={`${each.long_window}${each.factor}`}>
              <td>{severityWords[each.severity] ?? each.severity}</td>
              <td>
                {rateWords(each.long_burn_rate, each)} ({formatWindow(each.long_window)})
              </td>
              <td>
                {rateWords(each.short_burn_rate, each)} ({formatWindow(each.short_window)})
              </td>
              <td>{formatTarget(each.factor)}×</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        1× uses the budget in exactly the window. A tier fires while both rates are above its threshold, once its
        windows exist.
      </p>
    </>
  )
}

function rateWords(rate: number | null, { firing_reason }: Tier): string {
  return rate === null ? (firing_reason === 'too_few_samples' ? 'too few samples' : '–') : formatBurn(rate)
}
