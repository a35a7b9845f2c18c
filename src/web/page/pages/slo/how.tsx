import type { Budget, Slo, Tier } from '../../api/types.ts'
import { formatBurn, formatTarget, formatWindow } from '../../format.ts'
import { leftPercent, ofAllowed } from '../../slo/budget-words.ts'
import { severityWords } from '../../slo/recipients/recipients.ts'
import {
  eventsHowSentence,
  inTimeSentence,
  mayFailSentence,
  partHowSentence,
  sliHowSentence,
  tierHowSentences,
} from './how-words.ts'

type Shown = { slo: Slo; budget: Budget }

/** Calculation of the SLI. */
export function SliHow({ slo, budget }: Shown) {
  return <p>{sliHowSentence(slo, budget)}</p>
}

/** Calculation of the budget that is left. */
export function LeftHow({ slo, budget }: Shown) {
  const { error_budget, events, minutes } = budget
  const left = leftPercent(error_budget)
  return (
    <>
      <p>{mayFailSentence(slo.target, error_budget.total)}</p>
      {events && <p>{eventsHowSentence(events, error_budget.percentage_used ?? 0)}</p>}
      {left !== null && error_budget.window_percent_used !== error_budget.percentage_used && (
        <p>{partHowSentence(slo.time_window, 100 - left)}</p>
      )}
      {minutes.used !== null && <p>{inTimeSentence(ofAllowed((100 * minutes.used) / minutes.allowed, budget))}</p>}
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
      <p>{tierHowSentences}</p>
    </>
  )
}

function rateWords(rate: number | null, { firing_reason }: Tier): string {
  return rate === null ? (firing_reason === 'too_few_samples' ? 'too few samples' : '–') : formatBurn(rate)
}
