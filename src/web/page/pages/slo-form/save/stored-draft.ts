import { me } from '../../../api/session.ts'
import { now } from '../../../clock.ts'
import type { Draft } from '../draft.ts'

/** A draft stored in the tab. `basis`: `updated_at` of the edited SLO when it was stored. */
export type StoredDraft = { atMs: number; draft: Draft; basis: string | null }

/** Number of the shape of `Draft`: drafts stored in another one are not read. */
const format = 4

function keyOf(sloId: number | null): string {
  return `nines.slo-form.${format}.${me.peek()?.id}.${sloId ?? 'new'}`
}

/** Stored draft of an SLO, or of a new one (null); null if there is none. */
export function readStoredDraft(sloId: number | null): StoredDraft | null {
  const text = sessionStorage.getItem(keyOf(sloId))
  return text === null ? null : (JSON.parse(text) as StoredDraft)
}

/** Stores a draft until it is saved or discarded, or the tab is closed. */
export function storeDraft(sloId: number | null, draft: Draft, basis: string | null): void {
  sessionStorage.setItem(keyOf(sloId), JSON.stringify({ atMs: now(), draft, basis } satisfies StoredDraft))
}

export function deleteStoredDraft(sloId: number | null): void {
  sessionStorage.removeItem(keyOf(sloId))
}
