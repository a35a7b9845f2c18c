import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ControlGroup } from '../control-group.tsx'
import type { Form } from '../form-state.ts'
import { removeLabelLabel } from '../../../ui/named-words.ts'

/** Labels of an SLO as chips; a new one is typed as `name=value`. */
export function Labels({ form }: { form: Form }) {
  const { draft, change, problemsAt } = form
  const [text, setText] = useState('')
  const add = () => {
    const [, name = '', value = ''] = /^([^=:]+)[=:](.*)$/.exec(text.trim()) ?? []
    if (name === '' || value.trim() === '') return
    change({ labels: [...draft.labels.filter(([one]) => one !== name.trim()), [name.trim(), value.trim()]] })
    setText('')
  }
  return (
    <ControlGroup label="Labels" problem={problemsAt('labels')}>
      {(invalid) => (
        <ul class="cluster" aria-label="Labels">
          {draft.labels.map(([name, value]) => (
            <li key={name} class="filter-chip">
              <span class="filter-label">
                {name}={value}
              </span>
              <IconButton
                small
                icon="x"
                label={removeLabelLabel(name)}
                onClick={() => change({ labels: draft.labels.filter(([one]) => one !== name) })}
              />
            </li>
          ))}
          <li class="add-label">
            <input
              {...invalid}
              class="input"
              aria-label="New label"
              placeholder="tier=1"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              onBlur={add}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || text.trim() === '') return
                event.preventDefault() // keeps the form from being sent
                add()
              }}
            />
            <Button small onClick={add}>
              Add
            </Button>
          </li>
        </ul>
      )}
    </ControlGroup>
  )
}
