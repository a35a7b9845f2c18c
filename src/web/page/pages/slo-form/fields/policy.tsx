import { useRead } from '../../../api/use-read.ts'
import type { Teams } from '../../../api/types.ts'
import { PolicyFields } from '../../../slo/policy/policy-fields.tsx'
import { policyWords } from '../../../slo/policy/policy-words.ts'
import { defaultTeamId } from '../draft.ts'
import type { Form } from '../form-state.ts'

/** Error budget policy of an SLO. While it has no lines, those of its team are shown. */
export function Policy({ form: { draft, change, problemsAt } }: { form: Form }) {
  const teams = useRead<Teams>('/organization/teams').value.value?.teams ?? []
  const team = teams.find(({ id }) => id === (draft.teamId ?? defaultTeamId))
  const isOfTeam = draft.policy.length === 0 && (team?.budget_policy.length ?? 0) > 0
  return (
    <PolicyFields
      value={draft.policy}
      onValue={(policy) => change({ policy })}
      hint={
        <>
          <p>
            What applies while at most this share of the budget remains. Shown in notifications and next to the budget.
          </p>
          {isOfTeam && <p>Without lines here, the policy of the team applies:</p>}
          {isOfTeam && team?.budget_policy.map((line) => <p key={line.percent_left}>{policyWords(line)}</p>)}
        </>
      }
      problem={problemsAt('budget_policy')}
    />
  )
}
