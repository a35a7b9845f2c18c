import { useId } from 'preact/hooks'
import { now } from '../clock.ts'
import { ends, localInput, momentOf } from './ends.ts'
import { endsSentence } from './dialog-words.ts'

/** A preset end, or a moment in the format of its field. */
export type ChosenEnd = { preset: number | null; custom: string }

export function momentOfEnd({ preset, custom }: ChosenEnd, nowMs: number): number | undefined {
  return preset === null ? momentOf(custom) : ends[preset]?.atMs(nowMs)
}

/** Field for the end of a silence. */
export function EndField(props: {
  value: ChosenEnd
  onValue: (value: ChosenEnd) => void
  problem: string | undefined
}) {
  const { value, onValue, problem } = props
  const id = useId()
  const atMs = momentOfEnd(value, now())
  return (
    <fieldset class="field" aria-describedby={problem === undefined ? undefined : `${id}-problem`}>
      <legend>How long</legend>
      <div class="choices">
        {ends.map(({ label }, at) => (
          <label key={at} class="choice">
            <input
              type="radio"
              name={id}
              autofocus={at === value.preset}
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
              onChange={() => onValue({ preset: null, custom: localInput(atMs ?? now()) })}
            />
            Until
          </label>
          <input
            class="input moment"
            type="datetime-local"
            aria-label="Until when"
            aria-invalid={problem === undefined ? undefined : true}
            value={value.preset === null ? value.custom : localInput(atMs ?? now())}
            onInput={(event) => onValue({ preset: null, custom: event.currentTarget.value })}
          />
        </span>
      </div>
      {atMs !== undefined && <p class="hint">{endsSentence(atMs, now())}</p>}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  )
}
