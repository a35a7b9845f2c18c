import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { now } from '../clock.ts'
import { endsSentence } from './dialog-words.ts'
import { endPresets, plannedEndPresets, localInput, momentOf, type Preset, startPresets } from './ends.ts'

/** A preset by its index; null: `custom`, a moment as `localInput` writes it. */
export type ChosenMoment = { preset: number | null; custom: string }

type FieldOf<Value> = { value: Value; onValue: (value: Value) => void; problem: string | undefined }

/** Moment of a chosen start; undefined if the typed one is invalid. */
export function startOf(value: ChosenMoment, nowMs: number): number | undefined {
  return momentOfChoice(startPresets, value, nowMs)
}

/** Moment of a chosen end; undefined if the typed one is invalid. `startMs`: start of the silence, from which presets count. */
export function endOf(value: ChosenMoment, startMs: number): number | undefined {
  return momentOfChoice(endPresets, value, startMs)
}

function momentOfChoice(
  presets: readonly Preset[],
  { preset, custom }: ChosenMoment,
  fromMs: number,
): number | undefined {
  return preset === null ? momentOf(custom) : presets[preset]?.atMs(fromMs)
}

/** Field for the start of a silence. */
export function StartField(props: FieldOf<ChosenMoment>) {
  return (
    <MomentField legend="Begins" other="At" otherName="Begins when" presets={startPresets} fromMs={now()} {...props} />
  )
}

/** Field for the end of a silence, with a sentence on it. `startMs`: start of a planned one; undefined: now. */
export function EndField({ startMs, ...props }: FieldOf<ChosenMoment> & { startMs: number | undefined }) {
  const fromMs = startMs ?? now()
  const atMs = endOf(props.value, fromMs)
  const presets = startMs === undefined ? endPresets : plannedEndPresets
  return (
    <MomentField legend="How long" other="Until" otherName="Until when" focuses {...{ presets, fromMs }} {...props}>
      {atMs !== undefined && <p class="hint">{endsSentence(atMs, now())}</p>}
    </MomentField>
  )
}

type Moments = FieldOf<ChosenMoment> & {
  legend: string
  /** Label of the choice of another moment than the presets, and accessible name of its field. */
  other: string
  otherName: string
  presets: readonly Preset[]
  fromMs: number
  /** True if the chosen preset has the focus when the dialog opens. */
  focuses?: boolean
  children?: ComponentChildren
}

function MomentField(props: Moments) {
  const { legend, other, otherName, presets, fromMs, focuses, value, onValue, problem, children } = props
  const id = useId()
  const custom = () => localInput(momentOfChoice(presets, value, fromMs) ?? now())
  return (
    <fieldset class="field" aria-describedby={problem === undefined ? undefined : `${id}-problem`}>
      <legend>{legend}</legend>
      <div class="choices">
        {presets.map(({ label }, at) => (
          <label key={at} class="choice">
            <input
              type="radio"
              name={id}
              autofocus={focuses && at === value.preset}
              checked={value.preset === at}
              onChange={() => onValue({ ...value, preset: at })}
            />
            {label()}
          </label>
        ))}
        <span class="choice">
          <label class="choice">
            <input
              type="radio"
              name={id}
              checked={value.preset === null}
              onChange={() => onValue({ preset: null, custom: custom() })}
            />
            {other}
          </label>
          <input
            class="input moment"
            type="datetime-local"
            aria-label={otherName}
            aria-invalid={problem === undefined ? undefined : true}
            value={value.preset === null ? value.custom : custom()}
            onInput={(event) => onValue({ preset: null, custom: event.currentTarget.value })}
          />
        </span>
      </div>
      {children}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  )
}
