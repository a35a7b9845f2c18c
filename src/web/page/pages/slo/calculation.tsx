import type { Budget, Slo } from '../../api/types.ts'
import { usedHowSentences } from './how-words.ts'

/** Calculation of the budget with the real values, and the queries. */
export function Calculation({ slo, budget }: { slo: Slo; budget: Budget }) {
  const { sli, error_budget } = budget
  const queries = [
    ['Query', slo.metric_query],
    ['Good', slo.good_query],
    ['Bad', slo.bad_query],
    ['All', slo.total_query],
  ].filter((query): query is [string, string] => query[1] !== null && query[1] !== '')
  return (
    <>
      {sli !== null && error_budget.percentage_used !== null && error_budget.window_percent_used !== null && (
        <p>
          {usedHowSentences({
            sli,
            target: slo.target,
            used: error_budget.percentage_used / 100,
            windowUsed: error_budget.window_percent_used / 100,
          })}
        </p>
      )}
      <dl class="queries">
        {queries.map(([name, query]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <pre>{query}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
