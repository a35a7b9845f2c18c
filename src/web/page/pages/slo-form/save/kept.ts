import { me } from '../../../api/session.ts'
import { now } from '../../../clock.ts'
import type { Draft } from '../draft.ts'

/** A draft as it is kept in the tab. `basis`: when the SLO that it edits was last changed. */
export type Kept = { atMs: number; draft: Draft; basis: string | null }

const format = 1

function keyOf(sloId: number | null): string {
  return `nines.slo-form.${format}.${me.peek()?.id}.${sloId ?? 'new'}`
}

/** The draft that was left, of a new SLO or of one that there is; null where there is none. */
export function readKept(sloId: number | null): Kept | null {
  const text = sessionStorage.getItem(keyOf(sloId))
  return text === null ? null : (JSON.parse(text) as Kept)
}

/** Keeps a draft until it is saved or discarded, or the tab is closed. */
export function keep(sloId: number | null, draft: Draft, basis: string | null): void {
  sessionStorage.setItem(keyOf(sloId), JSON.stringify({ atMs: now(), draft, basis } satisfies Kept))
}

export function forgetKept(sloId: number | null): void {
  sessionStorage.removeItem(keyOf(sloId))
}
