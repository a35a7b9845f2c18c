import type { ComponentChildren } from 'preact'
import type { Kind } from './address.ts'
import type { Draft } from './draft.ts'
import type { Problem } from './fixes.ts'
import type { Picks } from './picks/picks.ts'

/** What the parts of the form share. */
export type Form = {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  /** Changes picks of a kind. */
  pick: <K extends Kind>(kind: K, changes: Partial<Picks[K]>) => void
  /** The source that is asked: that of the draft, or the default one. */
  sourceId: number
  problems: readonly Problem[]
  /** Problems as they stand at a field, with what mends them; undefined where there are none. */
  show: (problems: readonly Problem[]) => ComponentChildren
  /** What is said against fields of the API, with what mends it; undefined where nothing is. */
  problemsAt: (...fields: string[]) => ComponentChildren
}
