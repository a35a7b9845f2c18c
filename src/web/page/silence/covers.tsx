import { useState } from 'preact/hooks'
import type { OverviewSlo } from '../api/types.ts'
import { Field } from '../ui/form/field.tsx'
import { resolveSelection, labelsToChoose, type SilenceSelection, selectionOf } from './covered.ts'
import type { SilenceRequest, SilenceTarget } from './request.ts'
import { coversSentence, ofTeamLabel } from './dialog-words.ts'

type Covered = {
  slos: readonly OverviewSlo[]
  what: SilenceSelection
  choose: (what: SilenceSelection) => void
  /** Target to silence; null: nothing is chosen yet. */
  target: SilenceTarget | null
  /** Selection with which the dialog was opened; null: none. */
  given: SilenceSelection | null
}

/** Selection of the dialog: as it was opened, or as changed there. */
export function useCovered(slos: readonly OverviewSlo[], request: SilenceRequest): Covered {
  const given = request.kind === 'create' ? selectionOf(request.target, request.team) : null
  const [what, choose] = useState<SilenceSelection>(given ?? { kind: 'slo', id: null })
  return { slos, what, choose, given, target: resolveSelection(what, slos).target }
}

/** Fields to choose the SLOs, with the names of those covered. */
export function Covers({ of: { slos, what, choose, given }, problem }: { of: Covered; problem: string | undefined }) {
  const { covered } = resolveSelection(what, slos)
  return (
    <>
      <Field label="What" problem={problem}>
        {(ids) => (
          <select
            {...ids}
            class="input"
            value={what.kind}
            onChange={({ currentTarget: { value } }) => {
              if (value === 'labels') choose({ kind: 'labels', labels: {} })
              else if (value === 'slo') choose({ kind: 'slo', id: null })
              else if (given) choose(given)
            }}
          >
            {given && given.kind !== 'labels' && given.kind !== 'slo' && (
              <option value={given.kind}>{given.kind === 'team' ? ofTeamLabel(given.team) : 'The chosen SLOs'}</option>
            )}
            <option value="slo">One SLO</option>
            <option value="labels">All SLOs with labels</option>
          </select>
        )}
      </Field>
      {what.kind === 'slo' && (
        <Field label="SLO">
          {(ids) => (
            <select
              {...ids}
              class="input"
              value={what.id === null ? '' : String(what.id)}
              onChange={({ currentTarget: { value } }) =>
                choose({ kind: 'slo', id: value === '' ? null : Number(value) })
              }
            >
              <option value="">Choose an SLO</option>
              {slos.map(({ id, name }) => (
                <option key={id} value={String(id)}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {what.kind === 'labels' && (
        <Labels slos={slos} labels={what.labels} onLabels={(labels) => choose({ kind: 'labels', labels })} />
      )}
      {what.kind !== 'slo' && (
        <p class="hint" role="status">
          {coversSentence(covered.map(({ name }) => name))}
        </p>
      )}
    </>
  )
}

function Labels(props: {
  slos: readonly OverviewSlo[]
  labels: Readonly<Record<string, string>>
  onLabels: (labels: Record<string, string>) => void
}) {
  const { slos, labels, onLabels } = props
  const choices = labelsToChoose(slos, labels)
  return (
    <>
      <Field label="Label" hint="All of the chosen labels have to match.">
        {(ids) => (
          <select
            {...ids}
            class="input"
            value=""
            onChange={({ currentTarget: { value } }) => {
              const [name, ...rest] = value.split('=')
              if (name) onLabels({ ...labels, [name]: rest.join('=') })
            }}
          >
            <option value="">{choices.length === 0 ? 'No further label' : 'Add a label'}</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        )}
      </Field>
      {Object.keys(labels).length > 0 && (
        <ul class="cluster" aria-label="Labels">
          {Object.entries(labels).map(([name, value]) => (
            <li key={name}>
              <button
                type="button"
                class="chip"
                onClick={() => onLabels(Object.fromEntries(Object.entries(labels).filter(([other]) => other !== name)))}
              >
                {name}={value} <span aria-hidden="true">×</span>
                <span class="hidden-text">, take away</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
