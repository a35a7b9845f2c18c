import type { Budget } from '../../../api/types.ts'
import { plural } from '../../../format.ts'
import { leftWords } from '../../../slo/budget-words.ts'
import { HowHeading } from '../../../ui/popover.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { holdsSentence, leavesSentence } from './words.ts'
import {
  formatGain,
  formatReturnTime,
  hasDays,
  largestReturns,
  noReturnWords,
  signedAmount,
} from '../../../slo/returns.ts'

/** Days on which old failures leave the window and their budget comes back, and how much is left then. */
export function Calendar({ budget }: { budget: Budget }) {
  const { calendar, time_window: timeWindow } = budget
  const atMs = nowMs.value
  const { rows, others } = largestReturns(calendar)
  const max = Math.max(...rows.map(({ gives_back_percent }) => gives_back_percent))
  return (
    <section class="card calendar">
      <header>
        <HowHeading title="What comes back" of="What comes back">
          <p>{leavesSentence(budget)}</p>
          <p>{holdsSentence(budget.period === null && hasDays(timeWindow))}</p>
        </HowHeading>
      </header>
      {rows.length === 0 ? (
        <p class="muted">{noReturnWords(budget.error_budget.window_percent_used)}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{hasDays(timeWindow) ? 'Day' : 'Time'}</th>
              <th scope="col" colSpan={2}>
                Comes back
              </th>
              <th scope="col">Left then</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.starts_at}>
                <th scope="row">{formatReturnTime(row, budget, atMs)}</th>
                <td class="amount">
                  <Bar share={row.gives_back_percent / max} />
                </td>
                <td>{formatGain(row, budget)}</td>
                <td>{leftWords(row.remaining_after_percent)}</td>
              </tr>
            ))}
            {others.count > 0 && (
              <tr class="others">
                <th scope="row">{plural(others.count, '# other', '# others')}</th>
                <td class="amount">
                  <Bar share={others.percent / max} />
                </td>
                <td>{signedAmount(others.percent, budget)}</td>
                <td />
              </tr>
            )}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Bar({ share }: { share: number }) {
  return (
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.max(0.5, 100 * Math.min(1, share))} height="6" />
    </svg>
  )
}
