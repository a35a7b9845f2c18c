import { useCallback, useId } from 'preact/hooks'
import type { Coverage } from '../../../api/history.ts'
import type { Overview } from '../../../api/types.ts'
import { Button } from '../../../ui/button.tsx'
import { Combobox, type Option } from '../../../ui/combobox.tsx'
import { problemAttributes, ProblemText } from '../../../ui/form/field.tsx'
import type { Bound } from '../../../ui/form/use-form.ts'
import { setsOf } from './sets.ts'
import { chosenWords, uncoveredLabel } from './words.ts'

type Props = Bound<ReadonlySet<number>> & { coverage: Coverage; overview: Overview | undefined }

const maxShown = 200

/** Choice of the SLOs of a rule: by name, by label, by team, all without a rule, or all. */
export function SloPicker({ coverage, overview, value: chosen, onValue, problem }: Props) {
  const id = useId()
  const { slos, uncovered } = coverage
  const toggle = (sloId: number) => {
    const next = new Set(chosen)
    if (!next.delete(sloId)) next.add(sloId)
    onValue(next)
  }
  const find = useCallback(
    (text: string) => {
      const typed = text.trim().toLowerCase()
      const found = slos.filter(({ name }) => name.toLowerCase().includes(typed))
      const options = found.slice(0, maxShown).map((slo): Option => ({
        key: String(slo.id),
        group: '',
        label: slo.name,
        ...(uncovered.includes(slo.id) && { detail: 'notifies nobody' }),
        isChosen: chosen.has(slo.id),
        onChoose: () => toggle(slo.id),
      }))
      return { options, more: found.length - options.length }
    },
    [slos, uncovered, chosen],
  )
  const add = (ids: readonly number[]) => onValue(new Set([...chosen, ...ids]))
  const sets = setsOf(overview?.slos ?? [])
  return (
    <fieldset class="field slo-picker">
      <legend>
        SLOs <span class="muted">{chosenWords(chosen.size, slos.length)}</span>
      </legend>
      <div class="choices">
        <Button small onClick={() => add(slos.map((slo) => slo.id))}>
          All
        </Button>
        {uncovered.length > 0 && (
          <Button small onClick={() => add(uncovered)}>
            {uncoveredLabel(uncovered.length)}
          </Button>
        )}
        {sets.length > 0 && (
          <select
            class="input add-set"
            aria-label="Add all of a label or team"
            value=""
            onChange={({ currentTarget }) => {
              add(sets.find(({ label }) => label === currentTarget.value)?.ids ?? [])
              currentTarget.value = ''
            }}
          >
            <option value="">Add by label or team</option>
            {sets.map(({ label, ids }) => (
              <option key={label} value={label}>
                {`${label} (${ids.length})`}
              </option>
            ))}
          </select>
        )}
        {chosen.size > 0 && (
          <Button small onClick={() => onValue(new Set())}>
            None
          </Button>
        )}
      </div>
      <Combobox
        isInForm
        label="Search the SLOs"
        placeholder="Search the SLOs"
        find={find}
        nothing="Nothing is called that."
        problem={problemAttributes(id, problem)}
      />
      <p class="hint">SLOs that come later are not among them.</p>
      <ProblemText id={`${id}-problem`} of={problem} />
    </fieldset>
  )
}
