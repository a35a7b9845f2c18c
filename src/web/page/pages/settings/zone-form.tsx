import { useId, useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { sentenceOf } from '../../api/problems.ts'
import { formatExample } from '../../format.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { nowMs } from '../../ui/time.tsx'
import { type ClockStyle, isZone } from '../../zone.ts'

type Chosen = { time_zone: string | null; clock: ClockStyle | null }

type Props = {
  title: string
  hint: string
  of: Chosen
  /** Words for no choice of a zone, and of a clock where they differ. */
  unset: string
  unsetClock?: string
  /** Choice that counts where none is made here, before the browser. */
  around: Chosen
  /** Returns what was stored. */
  onSave: (chosen: Chosen) => Promise<Chosen>
}

const unknownZone = 'Choose a zone of the list, such as Europe/Zurich, or leave it empty.'

/** Form for a time zone and a clock, with the time as it would be written now. */
export function ZoneForm({ title, hint, of, unset, unsetClock = unset, around, onSave }: Props) {
  const id = useId()
  const [zone, setZone] = useState(of.time_zone ?? '')
  const [clock, setClock] = useState(of.clock)
  const typed = zone.trim()
  const chosen = typed === '' ? null : typed
  const isKnown = chosen === null || isZone(chosen)
  const shown = {
    timeZone: chosen ?? around.time_zone,
    clock: clock ?? around.clock,
  }
  const { run, isBusy, problem, clear } = useAction(() => onSave({ time_zone: chosen, clock }), {
    check: () => (isKnown ? undefined : unknownZone),
    problemOf(error) {
      const isOfZone = error instanceof ApiError && error.problems.some(({ field }) => field === 'time_zone')
      return isOfZone ? unknownZone : sentenceOf(error)
    },
    done: 'Saved.',
    next: ({ time_zone }) => setZone(time_zone ?? ''),
  })
  const save = (event: Event) => {
    event.preventDefault()
    void run()
  }
  const clocks = [
    [null, unsetClock],
    ['24h', '24 h'],
    ['12h', '12 h'],
  ] as const
  return (
    <section class="card section" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="hint">{hint}</p>
      <form onSubmit={save} noValidate>
        <Field label="Time zone" problem={problem}>
          {(ids) => (
            <input
              {...ids}
              class="input"
              list={`${id}-zones`}
              autocomplete="off"
              spellcheck={false}
              placeholder={unset}
              maxLength={64}
              value={zone}
              onInput={(event) => {
                setZone(event.currentTarget.value)
                clear()
              }}
            />
          )}
        </Field>
        <datalist id={`${id}-zones`}>
          {zoneNames().map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <fieldset class="field">
          <legend>Clock</legend>
          <div class="choices">
            {clocks.map(([value, label]) => (
              <label key={label} class="choice">
                <input type="radio" name={`${id}-clock`} checked={clock === value} onChange={() => setClock(value)} />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
        <p class="example">{isKnown && `Now: ${formatExample(nowMs.value, shown)}`}</p>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Save
        </Button>
      </form>
    </section>
  )
}

/** Zones that browsers list by their former names only, and UTC, which they do not list. */
const unlisted =
  'UTC America/Nuuk Asia/Ho_Chi_Minh Asia/Kathmandu Asia/Kolkata Asia/Yangon Atlantic/Faroe Europe/Kyiv Pacific/Kanton'.split(
    ' ',
  )

/** Names of all time zones that the browser knows, in order. */
function zoneNames(): string[] {
  return [...new Set([...unlisted.filter(isZone), ...Intl.supportedValuesOf('timeZone')])].toSorted()
}
