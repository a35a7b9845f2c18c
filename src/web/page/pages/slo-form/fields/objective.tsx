import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { formatTarget, formatWindow } from '../../../format.ts'
import type { SuggestedTarget } from '../../../what-if/suggest-target.ts'
import { sloWindows } from '../../../../../slos/arithmetic/windows.ts'
import type { Form } from '../form-state.ts'
import { Segments } from '../kinds/segments.tsx'

const windowWords = Object.fromEntries(sloWindows.map((window) => [window, formatWindow(window)])) as Record<
  string,
  string
>

/** Target, with a suggestion from the history, and window. */
export function Objective({ form, suggestion }: { form: Form; suggestion: SuggestedTarget | null }) {
  const { draft, change, problemsAt } = form
  const suggested = suggestion?.target ?? null
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
          value={draft.window}
          of={windowWords}
          onChange={(window) => change({ window })}
          problem={problemsAt('time_window')}
        />
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
