import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { whyNot } from '../../../api/rights.ts'
import type { OverviewSlo, Slo } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { save, saveCsv } from '../../../charts/figure.tsx'
import { openSilence } from '../../../silence/request.ts'
import { attempt } from '../../../ui/action.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ProblemText } from '../../../ui/form/field.tsx'
import { Form } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Menu } from '../../../ui/menu.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { shownState } from '../../../slo/states.ts'
import { AskRule, AskTarget } from './ask.tsx'
import { deleteAll, setPaused } from '../../../slo/bulk-change.ts'
import { changeMany, labelChanges, teamChanges } from './change-many.ts'
import { definitionsJson, figuresOf } from './exported.ts'
import { selected, switchSelecting } from './selected.ts'
import {
  labelAddedWords,
  labelRemovedWords,
  notExportedText,
  selectAllLabel,
  selectedWords,
  teamWords,
} from './words.ts'

type Teams = { teams: { id: number; name: string }[] }
type Props = {
  /** SLOs that can be selected, in the order shown. */
  slos: readonly OverviewSlo[]
}

/** Actions for the selected SLOs. */
export function SelectionBar({ slos }: Props) {
  const teams = useRead<Teams>('/organization/teams').value.value?.teams ?? []
  const ids = selected.value ?? new Set()
  const chosen = slos.filter(({ id }) => ids.has(id))
  const unavailable = whyNot('edit') ?? (chosen.length === 0 ? 'Select SLOs first.' : undefined)
  const isAll = chosen.length === slos.length
  const [asked, setAsked] = useState<'target' | 'rule' | null>(null)
  const close = () => setAsked(null)
  const paused = chosen.filter((slo) => shownState(slo) === 'paused')
  return (
    <div class="selection-bar" role="region" aria-label="Selection">
      <span role="status">{selectedWords(chosen.length)}</span>
      <Button small kind="quiet" onClick={() => (selected.value = new Set(isAll ? [] : slos.map(({ id }) => id)))}>
        {isAll ? 'None' : selectAllLabel(slos.length)}
      </Button>
      <span class="spring" />
      <Menu
        label="Change"
        button="Change"
        choices={[
          {
            label: 'Pause',
            icon: 'pause',
            unavailable: unavailable ?? (paused.length === chosen.length ? 'All of them are paused.' : undefined),
            onChoose: () => void setPaused(chosen, true),
          },
          {
            label: 'Resume',
            icon: 'play',
            unavailable: unavailable ?? (paused.length === 0 ? 'None of them is paused.' : undefined),
            onChoose: () => void setPaused(chosen, false),
          },
          { label: 'Set the target…', icon: 'pencil', unavailable, onChoose: () => setAsked('target') },
          { label: 'Notify a channel…', icon: 'bell', unavailable, onChoose: () => setAsked('rule') },
          { label: 'Delete', icon: 'trash-2', unavailable, onChoose: () => void deleteAll(chosen) },
        ]}
      />
      <LabelButton chosen={chosen} unavailable={unavailable} />
      {teams.length > 1 && (
        <Menu
          label="Team"
          button="Team"
          choices={teams.map(({ id, name }) => ({
            label: name,
            unavailable,
            onChoose: () => void changeMany(teamWords(name), teamChanges(chosen, id)),
          }))}
        />
      )}
      <Button
        icon="bell-off"
        unavailable={unavailable}
        onClick={() => openSilence({ sloIds: chosen.map(({ id }) => id) })}
      >
        Silence…
      </Button>
      <Menu
        label="Export"
        button="Export"
        choices={[
          {
            label: 'Figures as CSV',
            unavailable: chosen.length === 0 ? 'Select SLOs first.' : undefined,
            onChoose: () => void saveCsv(figuresOf(chosen), 'slos'),
          },
          {
            label: 'Definitions as JSON',
            unavailable: chosen.length === 0 ? 'Select SLOs first.' : undefined,
            onChoose: () => void saveDefinitions(chosen),
          },
        ]}
      />
      <IconButton icon="x" label="End the selection" onClick={switchSelecting} />
      {asked === 'target' && <AskTarget chosen={chosen} onClose={close} />}
      {asked === 'rule' && <AskRule chosen={chosen} onClose={close} />}
    </div>
  )
}

async function saveDefinitions(chosen: readonly OverviewSlo[]): Promise<void> {
  const work = async () => {
    const slos: Slo[] = []
    for (const { id } of chosen) slos.push(await send<Slo>('GET', `/slos/${id}`))
    save(definitionsJson(slos), 'application/json', 'slos.json')
  }
  await attempt(work, { failed: (error) => notExportedText(error instanceof Error ? error.message : String(error)) })
}

/** Label of a text such as `tier=1`; null: it is none. */
function labelOf(text: string): { name: string; value: string } | null {
  const [, name = '', value = ''] = /^([^=:]+)[=:](.+)$/.exec(text)?.map((part) => part.trim()) ?? []
  return name === '' || value === '' ? null : { name, value }
}

function LabelButton({ chosen, unavailable }: { chosen: readonly OverviewSlo[]; unavailable: string | undefined }) {
  const present = [...new Set(chosen.flatMap(({ labels }) => Object.entries(labels).map((label) => label.join('='))))]
  const form = useForm({
    initial: { label: '' },
    check: ({ label }) => (labelOf(label) ? undefined : { label: 'A label has a name and a value: tier=1.' }),
    send: async ({ label }) => {
      const parsed = labelOf(label)
      if (!parsed) return
      const { name, value } = parsed
      await changeMany(labelAddedWords(`${name}=${value}`), labelChanges(chosen, name, value))
    },
    next: (): void => form.set({ label: '' }),
  })
  const { value, onValue, problem } = form.field('label')
  if (unavailable !== undefined) return <Button unavailable={unavailable}>Label…</Button>
  return (
    <Popover
      label="Labels of the selected SLOs"
      class="many-labels"
      trigger={(attributes) => (
        <button type="button" class="button plain" {...attributes}>
          Label…
        </button>
      )}
    >
      <Form of={form} class="one-field" action="Add to all" look="plain">
        <input
          class="input"
          aria-label="Label to add to all"
          placeholder="tier=1"
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
          {...(problem && { 'aria-invalid': true, 'aria-describedby': 'label-problem' })}
        />
        <ProblemText id="label-problem" of={problem} />
      </Form>
      {present.length > 0 && (
        <ul>
          {present.map((label) => (
            <li key={label}>
              <span class="label">{label}</span>
              <Button
                small
                kind="quiet"
                onClick={() => {
                  const at = label.indexOf('=')
                  const [name, value] = [label.slice(0, at), label.slice(at + 1)]
                  const withLabel = chosen.filter(({ labels }) => labels[name] === value)
                  void changeMany(labelRemovedWords(label), labelChanges(withLabel, name, null))
                }}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  )
}
