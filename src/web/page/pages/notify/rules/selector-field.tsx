import { useId, useState } from 'preact/hooks'
import type { Selector } from '../../../api/history.ts'
import type { OverviewSlo } from '../../../api/types.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import type { Bound } from '../../../ui/form/use-form.ts'
import { selectedIds } from './rule-words.ts'
import { plural } from '../../../format.ts'
import { removeLabelLabel } from '../../../ui/named-words.ts'

/** Selector null: SLOs that are chosen one by one. */
type Props = Bound<Selector | null> & {
  slos: readonly OverviewSlo[] | undefined
  teams: readonly { id: number; name: string }[]
  /** True if SLOs may be chosen one by one. */
  mayChoose: boolean
}

/** Choice of the SLOs of a rule: every SLO, those with labels, those of a team, or chosen ones. */
export function SelectorField({ value: selector, onValue, slos, teams, mayChoose, problem }: Props) {
  const kind = selector === null ? 'chosen' : selector.labels ? 'labels' : selector.all ? 'all' : 'team'
  const choose = (kind: string) => {
    if (kind === 'chosen') onValue(null)
    else if (kind === 'labels') onValue({ labels: {} })
    else if (kind === 'team') onValue({ team_id: teams[0]?.id ?? 1 })
    else onValue({ all: true })
  }
  const isReady = selector !== null && (!selector.labels || Object.keys(selector.labels).length > 0)
  const count = slos && isReady ? selectedIds(selector, slos).length : undefined
  const countTexts = ['# SLO now, and those that come later.', '# SLOs now, and those that come later.'] as const
  return (
    <>
      <Field label="Which SLOs" hint={count !== undefined && plural(count, ...countTexts)} problem={problem}>
        {(ids) => (
          <select {...ids} class="input" value={kind} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="all">Every SLO</option>
            <option value="labels">SLOs with labels</option>
            <option value="team">SLOs of a team</option>
            {mayChoose && <option value="chosen">Chosen SLOs</option>}
          </select>
        )}
      </Field>
      {selector?.labels && <Labels of={selector.labels} slos={slos ?? []} onLabels={(labels) => onValue({ labels })} />}
      {kind === 'team' && (
        <Field label="Team">
          {(ids) => (
            <select
              {...ids}
              class="input"
              value={String(selector?.team_id)}
              onChange={({ currentTarget }) => onValue({ team_id: Number(currentTarget.value) })}
            >
              {teams.map(({ id, name }) => (
                <option key={id} value={String(id)}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </>
  )
}

type LabelsProps = {
  of: Readonly<Record<string, string>>
  slos: readonly OverviewSlo[]
  onLabels: (labels: Record<string, string>) => void
}

/** Labels of a selector as chips; a new one is typed as `env=prod`, or chosen among those of the SLOs. */
function Labels({ of, slos, onLabels }: LabelsProps) {
  const id = useId()
  const [text, setText] = useState('')
  const known = new Set(slos.flatMap(({ labels }) => Object.entries(labels).map(([name, value]) => `${name}=${value}`)))
  const add = (typed: string) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(typed.trim()) ?? []
    if (value.trim() === '') return
    onLabels({ ...of, [name.trim()]: value.trim() })
    setText('')
  }
  return (
    <div class="field">
      <label for={`${id}-label`}>Labels that they have</label>
      <ul class="cluster selector-labels" aria-label="Labels">
        {Object.entries(of).map(([name, value]) => (
          <li key={name} class="filter-chip">
            <span class="filter-label">
              {name}={value}
            </span>
            <IconButton
              small
              icon="x"
              label={removeLabelLabel(name)}
              onClick={() => onLabels(Object.fromEntries(Object.entries(of).filter(([one]) => one !== name)))}
            />
          </li>
        ))}
      </ul>
      <div class="with-button">
        <input
          id={`${id}-label`}
          class="input"
          list={`${id}-known`}
          placeholder="env=prod"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onBlur={() => add(text)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || text.trim() === '') return
            event.preventDefault() // keeps the form from being sent
            add(text)
          }}
        />
        <Button onClick={() => add(text)}>Add</Button>
      </div>
      <datalist id={`${id}-known`}>
        {[...known].toSorted().map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  )
}
