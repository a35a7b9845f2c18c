import type { ApiProblem } from '../../api/client.ts'
import type { ComponentChildren } from 'preact'
import type { Kind } from '../../address/new-slo.ts'
import type { Draft } from './draft.ts'
import type { BuilderInputs } from './picks/picks.ts'

/** State and actions that the parts of the form share. */
export type Form = {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  /** Changes what the user has chosen in the fields of a kind of SLO. */
  pick: <K extends Kind>(kind: K, changes: Partial<BuilderInputs[K]>) => void
  /** Source to query: the one of the draft, or the default. */
  sourceId: number
  problems: readonly ApiProblem[]
  /** Problems of API fields. */
  problemsOf: (...fields: string[]) => ApiProblem[]
  /** Shows problems at a field, with buttons to fix them; undefined if there are none. */
  show: (problems: readonly ApiProblem[]) => ComponentChildren
  /** Shows the problems of API fields, with buttons to fix them; undefined if there are none. */
  problemsAt: (...fields: string[]) => ComponentChildren
}
