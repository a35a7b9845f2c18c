import { useCallback, useId, useRef, useState } from 'preact/hooks'
import type { SloList } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { Button } from '../ui/button.tsx'
import { Combobox, type Found, type Option } from '../ui/combobox.tsx'
import { problemAttributes, ProblemText, TextField } from '../ui/form/field.tsx'
import type { Bound } from '../ui/form/use-form.ts'
import { words } from '../words.ts'
import { membersWords, weightLabel } from './words.ts'

/** Member that was chosen; `weight` as typed, with a point for a comma. */
export type ChosenMember = { id: number; name: string; weight: string }

const maxFound = 20

type Props = Bound<readonly ChosenMember[]> & { isWeighted: boolean; ownId: number | null }

/** Choice of the SLOs of a journey, with their weights where these count. */
export function MemberPicker({ value: chosen, onValue, problem, isWeighted, ownId }: Props) {
  const id = useId()
  const [search, setSearch] = useState('')
  const read = useRead<SloList>(`/slos?page_size=${maxFound}&search=${encodeURIComponent(search.trim())}`)
  const answer = read.value.value
  const error = read.error.value
  const last = useRef<SloList | undefined>(undefined)
  if (answer) last.current = answer
  const found = answer ?? last.current // while matches are read: the previous ones, filtered by the typed text
  const typed = answer ? '' : search.trim().toLowerCase()
  const find = useCallback((): Found => {
    const others = (found?.slos ?? []).filter(
      (slo) =>
        slo.composite === null &&
        slo.id !== ownId &&
        slo.name.toLowerCase().includes(typed) &&
        !chosen.some(({ id: memberId }) => memberId === slo.id),
    )
    const options = others.map(({ id: sloId, name }): Option => ({
      key: String(sloId),
      group: '',
      label: name,
      onChoose: () => onValue([...chosen, { id: sloId, name, weight: '1' }]),
    }))
    return { options, more: Math.max(0, (found?.total ?? 0) - (found?.slos.length ?? 0)) }
  }, [found, typed, chosen, ownId])
  return (
    <fieldset class="field members">
      <legend>
        Members <span class="muted">{membersWords(chosen.length)}</span>
      </legend>
      {chosen.map((one) => (
        <div key={one.id} class="member">
          <span>{one.name}</span>
          {isWeighted && (
            <TextField
              label={weightLabel(one.name)}
              value={one.weight}
              problem={undefined}
              onValue={(weight) =>
                onValue(chosen.map((other) => (other === one ? { ...one, weight: weight.replace(',', '.') } : other)))
              }
            />
          )}
          <Button small onClick={() => onValue(chosen.filter((other) => other !== one))}>
            Remove
          </Button>
        </div>
      ))}
      <Combobox
        isInForm
        label="Search the SLOs"
        placeholder="Search the SLOs"
        find={find}
        onText={setSearch}
        nothing={error ? error.message : answer ? 'No other SLO is called that.' : `${words.loading}…`}
        problem={problemAttributes(id, problem)}
      />
      <ProblemText id={`${id}-problem`} of={problem} />
    </fieldset>
  )
}
