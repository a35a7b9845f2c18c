import { Button, IconButton } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import type { Form } from '../form-state.ts'

const maxLines = 4
const usualPercents = ['50', '25', '10', '0']

/** Error budget policy of an SLO: lines of what holds while at most so much of the budget is left. */
export function Policy({ form: { draft, change, problemsAt } }: { form: Form }) {
  const { policy } = draft
  const put = (at: number, changes: Partial<(typeof policy)[number]>) => {
    change({ policy: policy.map((line, place) => (place === at ? { ...line, ...changes } : line)) })
  }
  const add = () => {
    const percent = usualPercents.find((usual) => policy.every((line) => line.percent !== usual)) ?? ''
    change({ policy: [...policy, { percent, text: '', url: '' }] })
  }
  return (
    <fieldset class="policy">
      <legend>Error budget policy</legend>
      <p class="hint">What holds while at most so much of the budget is left; in messages, and beside the budget.</p>
      {policy.map((line, at) => (
        <div class="policy-line" key={at}>
          <TextField label="% left" type="number" value={line.percent} onValue={(percent) => put(at, { percent })} />
          <TextField
            label="What then holds"
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
            label={`Remove the line of ${line.percent} %`}
            onClick={() => change({ policy: policy.filter((_, place) => place !== at) })}
          />
        </div>
      ))}
      {problemsAt('budget_policy')}
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
