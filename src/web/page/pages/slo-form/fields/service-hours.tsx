import { formatWeekday } from '../../../format.ts'
import { daysText } from '../../../slo/service-hours-words.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ZoneField } from '../../../ui/form/zone-field.tsx'
import { zone } from '../../../zone.ts'
import type { Form } from '../form-state.ts'
import { hoursLabel, removeHoursLabel } from '../words.ts'

const weekdays = [1, 2, 3, 4, 5, 6, 7]
const maxRanges = 14

/** Hours of the week in which an SLO counts; without any it counts at all times. */
export function ServiceHoursFields({ form: { draft, change, problemsAt } }: { form: Form }) {
  const { hours } = draft
  const changeRange = (at: number, changes: Partial<(typeof hours)[number]>) => {
    change({ hours: hours.map((range, place) => (place === at ? { ...range, ...changes } : range)) })
  }
  const add = () => {
    const isFirst = hours.length === 0
    change({
      hours: [...hours, { days: isFirst ? [1, 2, 3, 4, 5] : [6], from: '08:00', to: '18:00' }],
      ...(isFirst && draft.hoursZone === '' && { hoursZone: zone.value.timeZone }),
    })
  }
  return (
    <fieldset class="service-hours">
      <legend>Service hours</legend>
      <p class="hint">
        {hours.length === 0 ? 'It counts at all times.' : 'At other times nothing counts, neither good nor bad.'}
      </p>
      {hours.map((range, at) => (
        <div class="service-hours-line" key={at} role="group" aria-label={hoursLabel(at + 1)}>
          <div class="days" role="group" aria-label="Days">
            {weekdays.map((day) => (
              <label key={day} class={range.days.includes(day) ? 'chosen' : undefined}>
                <input
                  type="checkbox"
                  checked={range.days.includes(day)}
                  onChange={() => changeRange(at, { days: withToggled(range.days, day) })}
                />
                <span>{formatWeekday(day)}</span>
              </label>
            ))}
          </div>
          <TextField
            label="From"
            value={range.from}
            placeholder="08:00"
            onValue={(from) => changeRange(at, { from })}
          />
          <TextField label="To" value={range.to} placeholder="24:00" onValue={(to) => changeRange(at, { to })} />
          <IconButton
            icon="x"
            label={removeHoursLabel(daysText(range.days))}
            onClick={() => change({ hours: hours.filter((_, place) => place !== at) })}
          />
        </div>
      ))}
      {problemsAt('service_hours')}
      {hours.length < maxRanges && (
        <div>
          <Button small icon="plus" onClick={add}>
            Add hours
          </Button>
        </div>
      )}
      {hours.length > 0 && (
        <div class="grid">
          <ZoneField
            value={draft.hoursZone}
            onValue={(hoursZone) => change({ hoursZone })}
            hint="Applies to the hours and the holidays"
          />
          <TextField
            label="Holidays"
            value={draft.holidays}
            placeholder="2026-12-25, 2027-01-01"
            hint="Dates, separated by commas"
            onValue={(holidays) => change({ holidays })}
          />
        </div>
      )}
    </fieldset>
  )
}

function withToggled(days: readonly number[], day: number): number[] {
  const others = days.filter((one) => one !== day)
  return others.length < days.length ? others : [...days, day].toSorted((a, b) => a - b)
}
