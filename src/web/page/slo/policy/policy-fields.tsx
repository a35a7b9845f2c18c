import type { ComponentChildren } from 'preact'
import { Button, IconButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import type { PolicyDraft } from './policy-draft.ts'
import { removeLineLabel } from './policy-words.ts'

const maxLines = 4
const usualPercents = ['50', '25', '10', '0']

type Props = {
  value: PolicyDraft
  onValue: (policy: PolicyDraft) => void
  hint: ComponentChildren
  problem: ComponentChildren
}

/** Error budget policy of an SLO or team: each line says what applies while at most a share of the budget is left. */
export function PolicyFields({ value: policy, onValue, hint, problem }: Props) {
  const put = (at: number, changes: Partial<PolicyDraft[number]>) => {
    onValue(policy.map((line, place) => (place === at ? { ...line, ...changes } : line)))
  }
  const add = () => {
    const percent = usualPercents.find((usual) => policy.every((line) => line.percent !== usual)) ?? ''
    onValue([...policy, { percent, text: '', url: '' }])
  }
  return (
    <fieldset class="policy">
      <legend>Error budget policy</legend>
      <div class="hint">{hint}</div>
      {policy.map((line, at) => (
        <div class="policy-line" key={at}>
          <TextField label="% left" type="number" value={line.percent} onValue={(percent) => put(at, { percent })} />
          <TextField
            label="What then applies"
            value={line.text}
            maxLength={300}
            placeholder="Freeze of risky deploys"
            onValue={(text) => put(at, { text })}
          />
          <TextField
            label="Link"
            inputMode="url"
            value={line.url}
            placeholder="https://wiki.example.com/policy"
            onValue={(url) => put(at, { url })}
          />
          <IconButton
            icon="x"
            label={removeLineLabel(line.percent)}
            onClick={() => onValue(policy.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      {typeof problem === 'string' ? <p class="problem">{problem}</p> : problem}
      {policy.length < maxLines && (
        <div>
          <Button small icon="plus" onClick={add}>
            Add a line
          </Button>
        </div>
      )}
    </fieldset>
  )
}
