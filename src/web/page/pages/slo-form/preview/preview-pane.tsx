import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { TierRule } from '../../../api/history.ts'
import type { Preview, SloDraft } from '../../../api/types.ts'
import { formatWindow } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { Failed, Skeleton } from '../../../ui/read.tsx'
import { WhatIfControls } from '../../../what-if/controls.tsx'
import { type SuggestedTarget, suggestTarget } from '../../../what-if/suggest-target.ts'
import { readTiers } from '../../../what-if/tiers.ts'
import type { SloWindow } from '../../../../../slos/arithmetic/windows.ts'
import { type KnownWindow, whatIf } from '../../../what-if/what-if.ts'
import { outagesSentence, summaryOf } from '../../../what-if/words.ts'
import { Charts, NoFigures, Numbers } from './figures.tsx'
import type { PreviewState } from '../../../slo/use-preview.ts'
import { useWindow } from '../../../what-if/use-window.ts'
import { previewTitle, applyTargetLabel } from './words.ts'
import { applyLabel } from '../words.ts'

type Change = Partial<Pick<SloDraft, 'target' | 'time_window'>>

type Props = {
  /** Result of `usePreview` for the draft. */
  reading: PreviewState
  /** The draft of `reading`; null while it is incomplete. */
  draft: SloDraft | null
  /** Tiers of the SLO; absent or null: the standard ones of its window. */
  tiers?: readonly TierRule[] | null
  /** Takes a tried target or window over into the form. */
  onUse: (change: Change) => void
  /** Gets the target that the history suggests for the draft, with its reason; null without history. */
  onSuggestion?: (suggestion: SuggestedTarget | null) => void
}

/**
 * Preview of the draft as an SLO. The last preview stays, dimmed, until the next arrives. The form shows the problems of
 * fields; errors of no field are shown here. A tried target, and a window that the last response covers, are computed at once.
 */
export function PreviewPane({ reading, draft, tiers, onUse, onSuggestion }: Props) {
  const [tried, setTried] = useState<{ target?: number; window?: SloWindow }>({})
  // a change of the form ends the try of the same field
  useEffect(() => setTried(({ window }) => (window === undefined ? {} : { window })), [draft?.target])
  useEffect(() => setTried(({ target }) => (target === undefined ? {} : { target })), [draft?.time_window])
  const { known, isOfDraft, isReading, error } = useWindow(reading, draft, tried.window ?? null)
  useSuggestion(reading.preview.value, isOfDraft ? draft : null, onSuggestion)
  const [last, setLast] = useState<KnownWindow | null>(null)
  useEffect(() => {
    if (known) setLast(known)
  }, [known])
  const shown = known ?? last
  const preview = reading.preview.value
  const { time_window: ownWindow = '30d', target: ownTarget = 99.9 } = draft ?? reading.draft.value ?? {}
  const own = { target: ownTarget, window: ownWindow as SloWindow }
  const { metric_query, good_query, bad_query } = reading.draft.value ?? {}
  const outages = outagesSentence([metric_query, good_query, bad_query])
  const value = { ...own, ...tried }
  const isDimmed = isReading || !isOfDraft || (known === null && shown !== null)
  const isBusy = isReading || reading.isReading.value
  const failed = reading.error ?? error
  return (
    <section class="card preview" aria-label="Preview" aria-busy={isBusy}>
      <h2>{previewTitle(shown)}</h2>
      {failed && <Failed error={failed} onRetry={reading.retry} />}
      {preview === null ? (
        reading.isReading.value ? (
          <Skeleton heightPx={160} lines={3} />
        ) : (
          !failed && <Nothing hasProblems={reading.problems.length > 0} />
        )
      ) : preview.own.sli === null || !shown ? (
        <div class={isDimmed ? 'dimmed' : undefined}>
          <NoFigures preview={preview} />
        </div>
      ) : (
        <Shown
          known={shown}
          target={value.target}
          tiers={tiers ?? null}
          preview={preview}
          isDimmed={isDimmed}
          outages={outages}
        >
          <fieldset class="what-if-fields" disabled={!isOfDraft}>
            <legend>What if</legend>
            <WhatIfControls own={own.window} value={value} onChange={setTried} />
            <ApplyButtons own={own} value={value} onUse={onUse} />
          </fieldset>
        </Shown>
      )}
    </section>
  )
}

function Nothing({ hasProblems }: { hasProblems: boolean }) {
  return (
    <p class="muted">
      {hasProblems
        ? 'There is nothing to preview until the marked fields are corrected.'
        : 'What the SLO would have measured appears here as soon as its query is complete.'}
    </p>
  )
}

type ShownProps = {
  known: KnownWindow
  target: number
  tiers: readonly TierRule[] | null
  preview: Preview
  isDimmed: boolean
  outages: string
  children: ComponentChildren
}

function Shown({ known, target, tiers, preview, isDimmed, outages, children }: ShownProps) {
  const rules = useMemo(() => readTiers(tiers, known.measured.window), [tiers, known])
  const result = useMemo(() => whatIf(known, target, rules), [known, target, rules])
  const dimmed = isDimmed ? 'dimmed' : undefined
  return (
    <>
      <div class={dimmed}>
        <Numbers known={known} result={result} />
      </div>
      {children}
      <div class={dimmed}>
        <Charts known={known} result={result} tiers={rules} warnings={preview.warnings} outages={outages} />
      </div>
      <p class="hidden-text" role="status">
        {summaryOf(result)}
      </p>
    </>
  )
}

function ApplyButtons({
  own,
  value,
  onUse,
}: {
  own: { target: number; window: SloWindow }
  value: { target: number; window: SloWindow }
  onUse: (change: Change) => void
}) {
  const isTarget = value.target !== own.target
  const isWindow = value.window !== own.window
  if (!isTarget && !isWindow)
    return <p class="muted">Try another target or window. Nothing changes until you use it.</p>
  return (
    <div class="cluster">
      {isTarget && (
        <Button small onClick={() => onUse({ target: value.target })}>
          {applyTargetLabel(value.target)}
        </Button>
      )}
      {isWindow && (
        <Button small onClick={() => onUse({ time_window: value.window })}>
          {applyLabel(formatWindow(value.window))}
        </Button>
      )}
    </div>
  )
}

/** Reports the suggested target for the window of a draft, each time it changes. */
function useSuggestion(preview: Preview | null, draft: SloDraft | null, onSuggestion: Props['onSuggestion']): void {
  const window = (draft?.time_window ?? null) as SloWindow | null
  const suggestion = useMemo(() => {
    const data = preview?.what_if
    const measured = data?.windows.find(({ time_window }) => time_window === window)
    return data && window && measured ? suggestTarget(data, window, measured.sli) : null
  }, [preview, window])
  useEffect(() => onSuggestion?.(suggestion), [suggestion?.target, suggestion?.reason])
}
