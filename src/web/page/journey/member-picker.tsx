import { useId, useState } from 'preact/hooks'
import type { SloList } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/form/field.tsx'
import type { Bound } from '../ui/form/use-form.ts'
import { Read } from '../ui/read.tsx'

/** Member that was chosen; `weight` as typed. */
export type ChosenMember = { id: number; name: string; weight: string }

type Props = Bound<readonly ChosenMember[]> & { isWeighted: boolean; ownId: number | null }

/** Choice of the SLOs of a journey, with their weights where these count. */
export function MemberPicker({ value: chosen, onValue, problem, isWeighted, ownId }: Props) {
  const id = useId()
  const [search, setSearch] = useState('')
  const found = useRead<SloList>(`/slos?page_size=20&search=${encodeURIComponent(search.trim())}`)
  const isChosen = (sloId: number) => chosen.some((one) => one.id === sloId)
  return (
    <fieldset class="field members">
      <legend>
        Members <span class="muted">{`${chosen.length} of 2 to 20`}</span>
      </legend>
      {chosen.map((one) => (
        <div key={one.id} class="member">
          <span>{one.name}</span>
          {isWeighted && (
            <TextField
              label={`Weight of ${one.name}`}
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
      <input
        class="input"
        type="search"
        aria-label="Search the SLOs"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        placeholder="Search the SLOs"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <Read of={found} heightPx={96}>
        {({ slos }) => (
          <div class="members-found" role="group" aria-label="SLOs">
            {slos
              .filter((slo) => slo.composite === null && slo.id !== ownId && !isChosen(slo.id))
              .map(({ id: sloId, name }) => (
                <Button key={sloId} small onClick={() => onValue([...chosen, { id: sloId, name, weight: '1' }])}>
                  {`Add ${name}`}
                </Button>
              ))}
          </div>
        )}
      </Read>
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  )
}
