import { useId, useState } from 'preact/hooks'
import type { Coverage } from '../../../api/history.ts'
import type { Overview } from '../../../api/types.ts'
import type { Bound } from '../../../ui/form/use-form.ts'
import { Button } from '../../../ui/button.tsx'
import { setsOf } from './sets.ts'

type Props = Bound<ReadonlySet<number>> & { coverage: Coverage; overview: Overview | undefined }

const maxShown = 200

/** Choice of the SLOs of a rule: by name, by label, by team, all without a rule, or all. */
export function SloPicker({ coverage, overview, value: chosen, onValue, problem }: Props) {
  const id = useId()
  const [search, setSearch] = useState('')
  const { slos, uncovered } = coverage
  const typed = search.trim().toLowerCase()
  const found = slos.filter(({ name }) => name.toLowerCase().includes(typed))
  const add = (ids: readonly number[]) => onValue(new Set([...chosen, ...ids]))
  const sets = setsOf(overview?.slos ?? [])
  return (
    <fieldset class="field slo-picker">
      <legend>
        SLOs <span class="muted">{`${chosen.size} of ${slos.length}`}</span>
      </legend>
      <div class="choices">
        <Button small onClick={() => add(slos.map((slo) => slo.id))}>
          All
        </Button>
        {uncovered.length > 0 && (
          <Button small onClick={() => add(uncovered)}>
            {`Those that notify nobody (${uncovered.length})`}
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
      <input
        class="input"
        type="search"
        aria-label="Search the SLOs"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        placeholder="Search the SLOs"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <div class="checklist-box" role="group" aria-label="SLOs">
        {found.slice(0, maxShown).map((slo) => (
          <label key={slo.id} class="choice">
            <input
              type="checkbox"
              checked={chosen.has(slo.id)}
              onChange={({ currentTarget }) => {
                const next = new Set(chosen)
                if (currentTarget.checked) next.add(slo.id)
                else next.delete(slo.id)
                onValue(next)
              }}
            />
            <span>
              {slo.name}
              {uncovered.includes(slo.id) && <span class="muted"> · notifies nobody</span>}
            </span>
          </label>
        ))}
        {found.length === 0 && <p class="muted">Nothing is called that.</p>}
        {found.length > maxShown && <p class="muted">{`${found.length - maxShown} more: search for them.`}</p>}
      </div>
      <p class="hint">SLOs that come later are not among them.</p>
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  )
}
