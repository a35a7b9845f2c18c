import { useMemo, useRef } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'
import type { SloDraft } from '../api/types.ts'
import { isCalendarWindow, type SloWindow } from '../../../slos/arithmetic/windows.ts'
import { type KnownWindow, knownWindow } from './what-if.ts'
import { measuredBy } from '../slo/measured-by.ts'
import { type PreviewState, usePreview } from '../slo/use-preview.ts'

/**
 * Data of a tried window. `known` null: not read yet, or without history; `isOfDraft`: it is for the current queries of the
 * draft.
 */
export type TriedWindow = {
  known: KnownWindow | null
  isOfDraft: boolean
  isReading: boolean
  error: ApiError | null
}

/**
 * Data of a draft's window: from its preview if that covers the window, otherwise from another preview, which is requested
 * once. `tried` null: the draft's own window.
 */
export function useWindow(reading: PreviewState, draft: SloDraft | null, tried: SloWindow | null): TriedWindow {
  const kept = useRef({ measure: '', windows: new Map<string, KnownWindow>() })
  const [preview, answeredDraft] = [reading.preview.value, reading.draft.value]
  const measure = answeredDraft ? measureOf(answeredDraft) : ''
  if (kept.current.measure !== measure) kept.current = { measure, windows: new Map() }
  const { windows } = kept.current
  const isOfDraft = draft !== null && measureOf(draft) === measure

  const window =
    tried ?? (isOfDraft ? (draft.time_window as SloWindow) : null) ?? (answeredDraft?.time_window as SloWindow)
  const own = useMemo(
    () => (preview?.what_if && window ? knownWindow(preview.what_if, window, preview.first_sample_at) : null),
    [preview, window],
  )
  const isMissing = isOfDraft && preview !== null && tried !== null && own === null && !windows.has(tried)
  const other = usePreview(
    isMissing ? { ...draft, time_window: window, ...(!isCalendarWindow(window) && { time_zone: null }) } : null,
  )
  const [otherPreview, otherDraft] = [other.preview.value, other.draft.value]
  if (otherPreview?.what_if && otherDraft && measureOf(otherDraft) === measure) {
    const found = otherDraft.time_window as SloWindow
    const known = windows.has(found) ? null : knownWindow(otherPreview.what_if, found, otherPreview.first_sample_at)
    if (known) windows.set(found, known)
  }
  return {
    known: own ?? windows.get(window) ?? null,
    isOfDraft,
    isReading: isMissing && other.isReading.value,
    error: other.error,
  }
}

/** Key of the fields that decide how a draft is measured, without target and window. */
function measureOf(draft: SloDraft): string {
  return JSON.stringify(measuredBy.map((name) => draft[name] ?? null))
}
