import { useState } from 'preact/hooks'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { formatTarget, formatWindow } from '../../../format.ts'
import type { SuggestedTarget } from '../../../what-if/suggest-target.ts'
import { usualWindows } from '../../../../../slos/arithmetic/window-names.ts'
import type { Form } from '../form-state.ts'
import { Segments } from '../kinds/segments.tsx'

const usual: Record<string, string> = Object.fromEntries(usualWindows.map((window) => [window, formatWindow(window)]))
const choices = { ...usual, other: 'Other' }

/** Target, with a suggestion from the history, and window: a usual one, or one that is typed. */
export function Objective({ form, suggestion }: { form: Form; suggestion: SuggestedTarget | null }) {
  const { draft, change, problemsAt } = form
  const suggested = suggestion?.target ?? null
  const [isTyped, setTyped] = useState(false)
  const isOther = isTyped || usual[draft.window] === undefined
  return (
    <>
      <div class="objective">
        <TextField
          label="Target, in percent"
          value={draft.target}
          onValue={(target) => change({ target: target.replace(',', '.') })}
          problem={problemsAt('target')}
        />
        <Segments
          label="Window, rolling"
          isLabelShown
          value={isOther ? 'other' : draft.window}
          of={choices}
          onChange={(window) => {
            setTyped(window === 'other')
            if (window !== 'other') change({ window })
          }}
          problem={isOther ? undefined : problemsAt('time_window')}
        />
        {isOther && (
          <TextField
            label="Length of the window"
            value={draft.window}
            onValue={(window) => change({ window: window.replace(/\s/g, '') })}
            hint="Hours up to 48h, days up to 366d or weeks up to 52w"
            problem={problemsAt('time_window')}
          />
        )}
      </div>
      {suggestion && (
        <p class="hint suggestion">
          {suggested !== null && Number(draft.target) !== suggested && (
            <Button small onClick={() => change({ target: String(suggested) })}>
              Use {formatTarget(suggested)}
            </Button>
          )}
          <span>{suggestion.reason}</span>
        </p>
      )}
    </>
  )
}
