import { useMemo, useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import type { Alerting } from '../../api/history.ts'
import { invalidate } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import type { Budget, Slo, SloDraft } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { attempt, useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Failed } from '../../ui/read.tsx'
import { nowMs } from '../../ui/time.tsx'
import { allowedInWindow, errorBudget, minutesOf, round10 } from '../../../../slos/arithmetic/budget.ts'
import { type Tried, WhatIfControls } from '../../what-if/controls.tsx'
import { readTiers } from '../../what-if/tiers.ts'
import type { SloWindow } from '../../../../slos/arithmetic/windows.ts'
import { type KnownWindow, type MeasuredWindow, whatIf } from '../../what-if/what-if.ts'
import { alertsSentence, remainingSentence, triedSavedText, applyWords } from '../../what-if/words.ts'
import { elapsedSeconds } from '../../slo/own-window.ts'
import { words } from '../../words.ts'
import { usePreview } from '../../slo/use-preview.ts'
import { useWindow } from '../../what-if/use-window.ts'
import { exhaustedSince, shareOf } from './what-if-left.ts'

/**
 * Sliders for a target and a window, with the result. The budget of the SLO's own window is computed from the data of the page;
 * alerts and other windows from a preview, which is read once.
 */
export function WhatIfTried({ slo, budget }: { slo: Slo; budget: Budget }) {
  const own: Tried = { target: slo.target, window: slo.time_window as SloWindow }
  const [tried, setTried] = useState(own)
  const draft = draftOf(slo)
  const reading = usePreview(draft)
  const isOwn = tried.window === own.window
  const found = useWindow(reading, draft, isOwn ? null : tried.window)
  const alerting = useRead<Alerting>(`/slos/${slo.id}/alerting`).value.value
  const measured = isOwn ? measuredOf(budget) : (found.known?.measured ?? null)
  const isReading = found.isReading || reading.isReading.value
  const error = reading.error ?? found.error
  return (
    <div class="what-if">
      <WhatIfControls own={own.window} value={tried} onChange={setTried} />
      <div class="what-if-result" aria-live="polite" aria-busy={isReading}>
        {measured && (
          <RemainingBudget
            measured={measured}
            share={isOwn ? shareOf(budget) : (found.known?.share ?? null)}
            target={tried.target}
            ownBudget={isOwn ? budget : null}
          />
        )}
        {found.known && alerting && <Alerts slo={slo} known={found.known} target={tried.target} alerting={alerting} />}
        {isReading && <p class="muted">{words.loading}…</p>}
        {error && !isReading && <Failed error={error} onRetry={reading.retry} />}
      </div>
      <ApplyButton slo={slo} tried={tried} />
    </div>
  )
}

/** Remaining budget, the time it was used up, and the allowed failures. */
function RemainingBudget({
  measured,
  share,
  target,
  ownBudget,
}: {
  measured: MeasuredWindow
  share: number | null
  target: number
  /** Budget whose burn-down has the time when it was used up; null for another window. */
  ownBudget: Budget | null
}) {
  const { sli, window, wholeSeconds, events, message } = measured
  if (sli === null) return <p>{message}</p>
  if (target >= 100) return <p>A target of 100 % leaves no budget.</p>
  if (share === null) return <p>The past is still being filled in: what would be left is not known yet.</p>
  const usedPercent = errorBudget(sli, target).percentageUsed * share
  const exhausted =
    ownBudget && usedPercent >= 100 ? exhaustedSince(ownBudget.burn_down, ownBudget.target, target) : null
  const result = {
    minutes: minutesOf(wholeSeconds, round10(100 - target)),
    events: events && {
      bad: events.total - events.good,
      total: events.total,
      allowed: allowedInWindow(events.total, target, share),
    },
  }
  return (
    <p>
      {remainingSentence(
        { window, sli, target, usedPercent, strong: (text) => <strong>{text}</strong>, exhausted, result },
        nowMs.value,
      )}
    </p>
  )
}

type AlertsProps = { slo: Slo; known: KnownWindow; target: number; alerting: Alerting }

function Alerts({ slo, known, target, alerting }: AlertsProps) {
  const { window } = known.measured
  const { burn_rate_tiers: listed, burn_rate_tiers_are_standard: isStandard } = alerting
  const tiers = useMemo(() => readTiers(isStandard ? null : listed, window), [listed, isStandard, window])
  const result = useMemo(() => whatIf(known, target, tiers), [known, target, tiers])
  return <p class="muted">{alertsSentence(result, [slo.metric_query, slo.good_query, slo.bad_query])}</p>
}

/** Button that saves the tried target and window, with undo. */
function ApplyButton({ slo, tried }: { slo: Slo; tried: Tried }) {
  const change = {
    ...(tried.target !== slo.target && { target: tried.target }),
    ...(tried.window !== slo.time_window && { time_window: tried.window }),
  }
  const { target = slo.target, time_window: window = slo.time_window } = change
  const failed = 'Not saved:'
  const { run, isBusy } = useAction(() => save(slo, change), {
    done: triedSavedText(slo.name, target, window),
    undo: () =>
      attempt(() => save(slo, { target: slo.target, time_window: slo.time_window, time_zone: slo.time_zone }), {
        failed,
      }),
    failed,
  })
  if (Object.keys(change).length === 0) return null
  return (
    <div class="cluster">
      <Button small unavailable={whyNot('edit')} isBusy={isBusy} onClick={run}>
        {applyWords(target, window)}
      </Button>
    </div>
  )
}

async function save({ id }: Slo, body: object): Promise<void> {
  await send('PUT', `/slos/${id}`, { body })
  invalidate('/slos')
}

function measuredOf(budget: Budget): MeasuredWindow {
  const { time_window, window_seconds: wholeSeconds, sli, status_reason, status_message, events } = budget
  const window = time_window as SloWindow
  return {
    window,
    seconds: elapsedSeconds(budget),
    wholeSeconds,
    sli,
    reason: status_reason,
    message: status_message,
    events,
  }
}

/** Draft with the definition of an SLO. `metric_query` of a response is never null: with two queries it combines them. */
function draftOf(slo: Slo): SloDraft {
  const { good_query, bad_query, total_query, threshold, threshold_op, window_method, query_unit } = slo
  return {
    metric_type: slo.metric_type,
    target: slo.target,
    time_window: slo.time_window,
    time_zone: slo.time_zone,
    source_id: slo.source_id,
    good_query,
    bad_query,
    total_query,
    threshold,
    threshold_op,
    window_method,
    query_unit,
    metric_query: total_query === null ? slo.metric_query : null,
  } as SloDraft
}
