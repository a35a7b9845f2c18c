import { useState } from 'preact/hooks'
import type { TierRule } from '../../../api/history.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import type { Form } from '../form-state.ts'
import { readThresholds, standardThresholds, tiersToBeginWith } from './tiers.ts'

/** Alerting settings: the standard tiers and thresholds, or those of the SLO. */
export function AlertingFields({ form }: { form: Form }) {
  const { draft, change, problemsAt } = form
  const problems = problemsAt('burn_rate_tiers', 'budget_thresholds')
  const isOwn = draft.tiers !== null || draft.thresholds !== null
  return (
    <details open={isOwn || problems !== undefined}>
      <summary>When it alerts{isOwn ? '' : ': as is standard for the window'}</summary>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.tiers !== null}
          onChange={(event) => change({ tiers: event.currentTarget.checked ? tiersToBeginWith(draft.window) : null })}
        />
        Burn-rate tiers of its own
      </label>
      {draft.tiers && <Tiers tiers={draft.tiers} onChange={(tiers) => change({ tiers })} />}
      <label class="check">
        <input
          type="checkbox"
          checked={draft.thresholds !== null}
          onChange={(event) => change({ thresholds: event.currentTarget.checked ? standardThresholds : null })}
        />
        Budget thresholds of its own
      </label>
      {draft.thresholds && <Thresholds of={draft.thresholds} onChange={(thresholds) => change({ thresholds })} />}
      {problems}
    </details>
  )
}

function Thresholds({ of, onChange }: { of: number[]; onChange: (thresholds: number[]) => void }) {
  const [text, setText] = useState(of.join(', '))
  return (
    <TextField
      label="It alerts when so many percent of the budget are left"
      value={text}
      placeholder="50, 25, 10, 0"
      onValue={(typed) => {
        setText(typed)
        onChange(readThresholds(typed))
      }}
    />
  )
}

function Tiers({ tiers, onChange }: { tiers: TierRule[]; onChange: (tiers: TierRule[]) => void }) {
  const replace = (at: number, changes: Partial<TierRule>) =>
    onChange(tiers.map((tier, place) => (place === at ? { ...tier, ...changes } : tier)))
  return (
    <div class="own-tiers">
      {tiers.map((tier, at) => (
        <fieldset key={at} class="own-tier">
          <legend class="hidden-text">Tier {at + 1}</legend>
          <label>
            Severity
            <select
              class="input"
              value={tier.severity}
              onChange={(event) => replace(at, { severity: event.currentTarget.value })}
            >
              <option value="page">page</option>
              <option value="ticket">ticket</option>
            </select>
          </label>
          <Cell
            label="Burn rate"
            value={String(tier.factor)}
            onValue={(text) => replace(at, { factor: Number(text) })}
          />
          <Cell label="Long" value={tier.long_window} onValue={(long_window) => replace(at, { long_window })} />
          <Cell label="Short" value={tier.short_window} onValue={(short_window) => replace(at, { short_window })} />
          <Cell
            label="Failed ≥"
            value={String(tier.min_events)}
            onValue={(text) => replace(at, { min_events: Number(text) })}
          />
          <label class="check">
            <input
              type="checkbox"
              checked={tier.enabled}
              onChange={(event) => replace(at, { enabled: event.currentTarget.checked })}
            />
            On
          </label>
          <IconButton
            small
            icon="x"
            label={`Remove tier ${at + 1}`}
            onClick={() => onChange(tiers.filter((_, place) => place !== at))}
          />
        </fieldset>
      ))}
      <Button
        small
        icon="plus"
        onClick={() =>
          onChange([
            ...tiers,
            { severity: 'ticket', factor: 1, long_window: '24h', short_window: '2h', min_events: 0, enabled: true },
          ])
        }
      >
        Add a tier
      </Button>
    </div>
  )
}

/** An input that reports its value when it is left, because a half-typed number is not valid. */
function Cell({ label, value, onValue }: { label: string; value: string; onValue: (text: string) => void }) {
  return (
    <label>
      {label}
      <input class="input" value={value} onChange={(event) => onValue(event.currentTarget.value.trim())} />
    </label>
  )
}
