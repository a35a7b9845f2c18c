import { useId } from 'preact/hooks'
import { formatExample } from '../../../format.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { Form } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { ZoneOptions } from '../../../ui/form/zone-options.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { type ClockStyle, isZone } from '../../../zone.ts'
import { nowWords } from './words.ts'

type Chosen = { time_zone: string | null; clock: ClockStyle | null }

type Props = {
  title: string
  hint: string
  of: Chosen
  /** Text for "no choice" of a zone, and of a clock if that differs. */
  unset: string
  unsetClock?: string
  /** Zone and clock that apply without a choice here; null: those of the browser. */
  fallback: Chosen
  /** Returns what was stored. */
  onSave: (chosen: Chosen) => Promise<Chosen>
}

const unknownZone = 'Choose a zone of the list, such as Europe/Zurich, or leave it empty.'

/** Form for a time zone and a clock, with the time as it would be written now. */
export function ZoneForm({ title, hint, of, unset, unsetClock = unset, fallback, onSave }: Props) {
  const id = useId()
  const form = useForm({
    initial: { time_zone: of.time_zone ?? '', clock: of.clock },
    check: ({ time_zone }) => (isKnown(chosenIn(time_zone)) ? undefined : { time_zone: unknownZone }),
    send: ({ time_zone, clock }) => onSave({ time_zone: chosenIn(time_zone), clock }),
    done: 'Saved.',
    next: ({ time_zone }): void => form.set({ time_zone: time_zone ?? '' }),
  })
  const { clock } = form.draft
  const chosen = chosenIn(form.draft.time_zone)
  const shown = { timeZone: chosen ?? fallback.time_zone, clock: clock ?? fallback.clock }
  const clocks = [
    [null, unsetClock],
    ['24h', '24 h'],
    ['12h', '12 h'],
  ] as const
  return (
    <section class="card section" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="hint">{hint}</p>
      <Form of={form} class="form" action="Save">
        <TextField
          label="Time zone"
          list={`${id}-zones`}
          autocomplete="off"
          spellcheck={false}
          placeholder={unset}
          maxLength={64}
          {...form.field('time_zone')}
        />
        <ZoneOptions id={`${id}-zones`} />
        <fieldset class="field">
          <legend>Clock</legend>
          <div class="choices">
            {clocks.map(([value, label]) => (
              <label key={label} class="choice">
                <input
                  type="radio"
                  name={`${id}-clock`}
                  checked={clock === value}
                  onChange={() => form.set({ clock: value })}
                />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
        <p class="example">{isKnown(chosen) && nowWords(formatExample(nowMs.value, shown))}</p>
      </Form>
    </section>
  )
}

function chosenIn(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

function isKnown(zone: string | null): boolean {
  return zone === null || isZone(zone)
}
