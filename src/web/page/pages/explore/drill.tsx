import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { link } from '../../address/base.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { type Labels, matcherText, seriesParts } from './answer.ts'
import { drillStepsFrom } from './query/drill.ts'
import { newSloLabel, notNarrowedSentence, stepsFromLabel } from './words.ts'

/** Query of a result, its source, and the action that shows another query in its place. */
export type Drill = { query: string; source: number; onQuery: (query: string) => void }

type TextProps = {
  labels: Labels
  /** Label whose drill-down steps are shown. */
  opened: string | null
  onOpen: (label: string | null) => void
}

/** A series in PromQL whose labels are buttons that open the drill-down steps for their value. */
export function SeriesText({ labels, opened, onOpen }: TextProps) {
  const { prefix, matchers, suffix } = seriesParts(labels)
  return (
    <code>
      {prefix}
      {matchers.map((matcher, at) => {
        const isOpen = opened === matcher.label
        return (
          <Fragment key={matcher.label}>
            {at > 0 && ', '}
            <button
              type="button"
              class="label-value"
              aria-expanded={isOpen}
              onClick={() => onOpen(isOpen ? null : matcher.label)}
            >
              {matcherText(matcher)}
            </button>
          </Fragment>
        )
      })}
      {suffix}
    </code>
  )
}

type DrillStepsProps = { columns: number; labels: Labels; label: string; drill: Drill; onClose: () => void }

/** Row of a table below that of a series: drill-down steps for the value of a label, to narrower queries or a new SLO. Escape closes it. */
export function DrillStepsRow({ columns, labels, label, drill, onClose }: DrillStepsProps) {
  const row = useRef<HTMLTableRowElement>(null)
  const steps = drillStepsFrom(drill.query, drill.source, { label, value: labels[label] ?? '' })
  useEffect(() => row.current?.querySelector<HTMLElement>('a, button')?.focus(), [label])
  return (
    <tr
      ref={row}
      class="steps"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        row.current?.previousElementSibling?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus()
        onClose()
      }}
    >
      <td colSpan={columns}>
        {steps.length === 0 && <p class="muted">{notNarrowedSentence(label)}</p>}
        <ul aria-label={stepsFromLabel(label)}>
          {steps.map((step) => (
            <li key={step.label}>
              {'path' in step ? (
                <LinkButton small icon="plus" href={link(step.path)}>
                  {newSloLabel(step.label)}
                </LinkButton>
              ) : (
                <Button small icon="search" onClick={() => drill.onQuery(step.query)}>
                  {step.label}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </td>
    </tr>
  )
}
