import type { ApiProblem } from '../../api/client.ts'
import { asSentence } from '../../format.ts'
import { inPageWords } from '../../api/page-words.ts'
import { isIn } from '../../ui/form/assign-problems.ts'
import { Button } from '../../ui/button.tsx'
import type { Draft } from './draft.ts'
import { fixesOf } from './fixes.ts'

/** API fields that are on the form; problems of other fields are shown above it. */
const onForm = (
  'name description target time_window metric_type metric_query good_query bad_query total_query threshold threshold_op ' +
  'window_method query_unit source_id team_id labels owner runbook_url budget_policy service_hours paused burn_rate_tiers budget_thresholds url'
).split(' ')

/** True for a problem of a field that is not on the form. */
export function isElsewhere({ field }: ApiProblem): boolean {
  return !onForm.some((name) => isIn(field, name))
}

/** Problems of a field in the server's words, and buttons for the fixes of their hints. */
export function Problems(props: {
  problems: readonly ApiProblem[]
  draft: Draft
  onFix: (changes: Partial<Draft>) => void
}) {
  const { problems, draft, onFix } = props
  if (problems.length === 0) return null
  return (
    <div class="stack" role="status">
      {problems.map((problem) => (
        <div key={`${problem.field} ${problem.message}`} class="form-problem">
          <p class="problem">{inPageWords(asSentence(problem.message))}</p>
          {problem.hint && <p class="hint">{inPageWords(problem.hint)}</p>}
          <div class="fixes cluster">
            {fixesOf(problem, draft).map(({ label, apply }) => (
              <Button key={label} small onClick={() => onFix(apply(draft))}>
                {label}
              </Button>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}
