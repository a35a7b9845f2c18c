import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { TierRule } from '../../../api/history.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { type ProblemAttributes, TextField } from '../../../ui/form/field.tsx'
import { isIn } from '../../../ui/form/assign-problems.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import type { Form } from '../form-state.ts'
import { ControlGroup } from '../control-group.tsx'
import { readThresholds, standardThresholds, tiersToBeginWith } from './tiers.ts'
import { removeTierLabel, tierLabel } from '../words.ts'

/** Alerting settings: the standard tiers and thresholds, or those of the SLO. */
export function AlertingFields({ form }: { form: Form }) {
  const { draft, change, problemsOf, problemsAt } = form
  const tierProblem = problemsAt('burn_rate_tiers')
  const thresholdProblem = problemsAt('budget_thresholds')
  const isOwn = draft.tiers !== null || draft.thresholds !== null
  return (
    <details open={isOwn || tierProblem !== undefined || thresholdProblem !== undefined}>
      <summary>{isOwn ? 'When it alerts' : 'When it alerts: usual alerts'}</summary>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.tiers !== null}
          onChange={(event) => change({ tiers: event.currentTarget.checked ? tiersToBeginWith(draft.window) : null })}
        />
        Burn-rate tiers of its own
      </label>
      <ControlGroup problem={tierProblem}>
        {({ 'aria-describedby': describedBy }) =>
          draft.tiers && (
            <Tiers
              tiers={draft.tiers}
              onChange={(tiers) => change({ tiers })}
              attributesOf={(path) =>
                problemsOf('burn_rate_tiers').some(({ field }) => isIn(`burn_rate_tiers.${path}`, field))
                  ? { 'aria-invalid': true, ...(describedBy !== undefined && { 'aria-describedby': describedBy }) }
                  : {}
              }
            />
          )
        }
      </ControlGroup>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.thresholds !== null}
          onChange={(event) => change({ thresholds: event.currentTarget.checked ? standardThresholds : null })}
        />
        Budget thresholds of its own
      </label>
      {draft.thresholds ? (
        <Thresholds
          of={draft.thresholds}
          onChange={(thresholds) => change({ thresholds })}
          problem={thresholdProblem}
        />
      ) : (
        thresholdProblem
      )}
    </details>
  )
}

function Thresholds(props: { of: number[]; onChange: (thresholds: number[]) => void; problem: ComponentChildren }) {
  const { of, onChange, problem } = props
  const [text, setText] = useState(of.join(', '))
  return (
    <TextField
      label="It alerts when so many percent of the budget are left"
      value={text}
      placeholder="50, 25, 10, 0"
      problem={problem}
      onValue={(typed) => {
        setText(typed)
        onChange(readThresholds(typed))
      }}
    />
  )
}

function Tiers(props: {
  tiers: TierRule[]
  onChange: (tiers: TierRule[]) => void
  /** Attributes of the control of a field of a tier, such as `0.factor`. */
  attributesOf: (path: string) => ProblemAttributes
}) {
  const { tiers, onChange, attributesOf } = props
  const replace = (at: number, changes: Partial<TierRule>) =>
    onChange(tiers.map((tier, other) => (other === at ? { ...tier, ...changes } : tier)))
  return (
    <div class="own-tiers">
      {tiers.map((tier, at) => (
        <fieldset key={at} class="own-tier">
          <legend class="hidden-text">{tierLabel(at + 1)}</legend>
          <label>
            Severity
            <select
              {...attributesOf(`${at}.severity`)}
              class="input"
              value={tier.severity}
              onChange={(event) => replace(at, { severity: event.currentTarget.value })}
            >
              {Object.entries(severityWords).map(([severity, word]) => (
                <option key={severity} value={severity}>
                  {word}
                </option>
              ))}
            </select>
          </label>
          <Cell
            label="Burn rate"
            value={String(tier.factor)}
            invalid={attributesOf(`${at}.factor`)}
            onValue={(text) => replace(at, { factor: Number(text) })}
          />
          <Cell
            label="Long"
            value={tier.long_window}
            invalid={attributesOf(`${at}.long_window`)}
            onValue={(long_window) => replace(at, { long_window })}
          />
          <Cell
            label="Short"
            value={tier.short_window}
            invalid={attributesOf(`${at}.short_window`)}
            onValue={(short_window) => replace(at, { short_window })}
          />
          <Cell
            label="Failed ≥"
            value={String(tier.min_events)}
            invalid={attributesOf(`${at}.min_events`)}
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
            label={removeTierLabel(at + 1)}
            onClick={() => onChange(tiers.filter((_, other) => other !== at))}
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
function Cell(props: { label: string; value: string; invalid: ProblemAttributes; onValue: (text: string) => void }) {
  const { label, value, invalid, onValue } = props
  return (
    <label>
      {label}
      <input {...invalid} class="input" value={value} onChange={(event) => onValue(event.currentTarget.value.trim())} />
    </label>
  )
}
