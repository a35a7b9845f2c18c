import { useMemo } from 'preact/hooks'
import type { Preview } from '../../../api/types.ts'
import { ChartAnnotations } from '../../../charts/annotations.ts'
import { formatShare, formatSli, formatTarget } from '../../../format.ts'
import { inPageWords } from '../../../api/page-words.ts'
import { capitalized } from '../../../incidents/alert-words.ts'
import { overWords } from '../../../slo/budget-words.ts'
import { BudgetBar } from '../../../slo/budget-bar.tsx'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import { StatusShape } from '../../../ui/status.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { existingSeconds, type KnownWindow, type WhatIf } from '../../../what-if/what-if.ts'
import { allowedSentence, noSliWords } from '../../../what-if/words.ts'
import { words } from '../../../words.ts'
import { BurnDown, SliOverTime } from './over-time.tsx'
import { WouldHaveNotified } from './would-have-notified.tsx'
import { budgetWords, nothingBeforeSentence, ofTarget, smallBudgetSentence } from './words.ts'

/** SLI of a window, and the remaining budget with a target. */
export function Numbers({ known, result }: { known: KnownWindow; result: WhatIf }) {
  const { measured } = known
  const { usedPercent } = result
  if (measured.sli === null || usedPercent === null) {
    return <Unknown reason={measured.reason} message={measured.message} />
  }
  const left = 100 - usedPercent
  return (
    <>
      <div class="preview-numbers">
        <div>
          <p class={`preview-big${measured.sli < result.targetPercent ? ' crit-text' : ''}`}>
            {formatSli(measured.sli, result.targetPercent)} <span class="unit">%</span>
          </p>
          <p>{ofTarget(known, result.targetPercent)}</p>
        </div>
        <div>
          <p class={`preview-big${left < 0 ? ' crit-text' : ''}`}>
            {left < 0 ? capitalized(overWords(usedPercent)) : formatShare(left)}
          </p>
          <BudgetBar percent={left} isAlone />
          <p>{budgetWords(known, result, nowMs.value)}</p>
        </div>
      </div>
      <p class="muted">{allowedSentence(result)}</p>
    </>
  )
}

type ChartsProps = Parameters<typeof WouldHaveNotified>[0] & { warnings: readonly string[] }

/** Burn-down of a window's budget with a target, and the alerts that would have fired. */
export function Charts({ warnings, ...shown }: ChartsProps) {
  const { known, result } = shown
  const { measured, sums } = known
  const annotations = useMemo(
    () => ({
      bands: result.alerts.map(({ tier, startedSeconds, endedSeconds }) => ({
        kind: tier.severity === 'page' ? ('firing' as const) : ('ticket' as const),
        fromSeconds: startedSeconds,
        toSeconds: endedSeconds ?? sums.endSeconds,
        text: `${severityWords[tier.severity]} ${formatTarget(tier.factor)}×`,
      })),
      markers: [],
      view: null,
    }),
    [result.alerts, sums],
  )
  return (
    <ChartAnnotations.Provider value={annotations}>
      {measured.sli !== null && (
        <>
          <BurnDown known={known} result={result} />
          <SliOverTime known={known} target={result.targetPercent} />
          <WouldHaveNotified {...shown} />
        </>
      )}
      <Warnings warnings={[...warnings, ...remarksOn(known, result)]} />
    </ChartAnnotations.Provider>
  )
}

/** SLI of a draft without a history, or the reason why it has none. */
export function NoFigures({ preview }: { preview: Preview }) {
  const { own, warnings } = preview
  return (
    <>
      {own.sli === null ? (
        <Unknown reason={own.status_reason} message={own.status_message} />
      ) : (
        <p>
          {formatSli(own.sli, preview.target_value)} <span class="unit">%</span>. The source does not say how it was
          before.
        </p>
      )}
      <Warnings warnings={warnings} />
    </>
  )
}

function Unknown({ reason, message }: { reason: string | null; message: string | null }) {
  return (
    <p class="preview-unknown">
      <StatusShape state="unknown" />
      <span>
        <strong>{words.reasons[reason ?? ''] ?? 'No SLI'}.</strong> {noSliWords(reason, message ?? '')}
      </span>
    </p>
  )
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <ul class="preview-warnings" aria-label="Warnings">
      {warnings.map((warning) => (
        <li key={warning}>
          <StatusShape state="warning" />
          <span>{inPageWords(warning)}</span>
        </li>
      ))}
    </ul>
  )
}

/** Warnings about the window and target of the draft. */
function remarksOn(known: KnownWindow, { events, targetPercent }: WhatIf): string[] {
  const fromSeconds = known.sums.endSeconds - existingSeconds(known)
  return [
    known.share === 1 ? '' : nothingBeforeSentence(fromSeconds * 1000, nowMs.peek()),
    targetPercent >= 100
      ? 'A target of 100 leaves no budget.'
      : events && events.total > 0 && events.allowed < 1
        ? smallBudgetSentence(events.total)
        : '',
  ].filter((text) => text !== '')
}
