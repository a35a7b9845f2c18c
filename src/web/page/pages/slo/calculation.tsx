import type { Budget, Slo } from '../../api/types.ts'
import { formatNumber, formatTarget } from '../../format.ts'

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
          Used: (100 − SLI) ÷ (100 − target) = (100 − {formatNumber(sli, 6)}) ÷ (100 − {formatTarget(slo.target)}) ={' '}
          {formatNumber(error_budget.percentage_used / 100, 4)} budgets of the time with data. Of the whole window:{' '}
          {formatNumber((error_budget.window_percent_used ?? 0) / 100, 4)}.
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
