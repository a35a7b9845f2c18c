import { useState } from 'preact/hooks'
import { isCalendarWindow } from '../../../../../slos/arithmetic/windows.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ZoneField } from '../../../ui/form/zone-field.tsx'
import { formatTarget, formatWindow } from '../../../format.ts'
import type { SuggestedTarget } from '../../../what-if/suggest-target.ts'
import { usualWindows } from '../../../../../slos/arithmetic/window-names.ts'
import type { Form } from '../form-state.ts'
import { Segments } from '../kinds/segments.tsx'
import { applyLabel } from '../words.ts'

const usual: Record<string, string> = Object.fromEntries(usualWindows.map((window) => [window, formatWindow(window)]))
const choices = { ...usual, calendar: 'Calendar', other: 'Other' }
const periods = { week: 'Week', month: 'Month', quarter: 'Quarter', year: 'Year' }

/** Target, with a suggestion from the history, and window: a usual one, a calendar period, or one that is typed. */
export function Objective({ form, suggestion }: { form: Form; suggestion: SuggestedTarget | null }) {
  const { draft, change, problemsAt } = form
  const suggested = suggestion?.target ?? null
  const [isTyped, setTyped] = useState(false)
  const isCalendar = !isTyped && isCalendarWindow(draft.window)
  const isOther = isTyped || (usual[draft.window] === undefined && !isCalendar)
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
          label="Window"
          isLabelShown
          value={isOther ? 'other' : isCalendar ? 'calendar' : draft.window}
          of={choices}
          onChange={(window) => {
            setTyped(window === 'other')
            if (window === 'calendar') change({ window: 'month' })
            else if (window !== 'other') change({ window })
          }}
          problem={isOther || isCalendar ? undefined : problemsAt('time_window')}
        />
        {isCalendar && (
          <>
            <Segments
              label="Calendar period"
              isLabelShown
              value={draft.window}
              of={periods}
              onChange={(window) => change({ window })}
              problem={problemsAt('time_window')}
            />
            <ZoneField
              value={draft.timeZone}
              onValue={(timeZone) => change({ timeZone })}
              hint="In which the period begins; empty: that of the organization"
              problem={problemsAt('time_zone')}
            />
          </>
        )}
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
              {applyLabel(formatTarget(suggested))}
            </Button>
          )}
          <span>{suggestion.reason}</span>
        </p>
      )}
    </>
  )
}
