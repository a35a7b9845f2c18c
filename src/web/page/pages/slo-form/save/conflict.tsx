import type { Slo } from '../../../api/types.ts'
import { Button } from '../../../ui/button.tsx'
import { fieldName } from '../../../slo/change-words.ts'
import { valueText } from '../../../slo/change-values.ts'
import { changedFields } from './save.ts'
import { type Draft, draftOfSlo } from '../draft.ts'
import { changedByWords, conflictSentence } from './words.ts'

/** The stored SLO, with the changes of somebody else. `by`: name of that user; null: not known. */
export type Conflicting = { slo: Slo; by: string | null }

/**
 * Note that somebody else has changed the SLO since the form was opened, with the changes. The user saves their own version, which
 * leaves fields that only the other user has changed, or loads the stored one. `slo`: the SLO as it was when the form was opened.
 */
export function Conflict(props: {
  slo: Slo
  draft: Draft
  conflict: Conflicting
  onSave: () => void
  onLoad: () => void
}) {
  const { slo, draft, conflict, onSave, onLoad } = props
  const changed = Object.keys(changedFields(slo, draftOfSlo(conflict.slo)))
  const own = Object.keys(changedFields(slo, draft))
  const isDisjoint = own.length > 0 && !own.some((field) => changed.includes(field))
  const valueOf = (of: Slo, field: string) => valueText(field, (of as Record<string, unknown>)[field])
  return (
    <div class="form-note conflict" role="alert">
      <p>
        {conflictSentence(
          <strong>{changedByWords(conflict.by)}</strong>,
          changed.map((field) => `${fieldName(field)} ${valueOf(slo, field)} → ${valueOf(conflict.slo, field)}`),
          isDisjoint ? own.map(fieldName) : [],
        )}
      </p>
      <div class="fixes cluster">
        <Button small onClick={onLoad}>
          Load that version
        </Button>
        <Button small onClick={onSave}>
          {isDisjoint ? 'Save yours too' : 'Save yours over it'}
        </Button>
      </div>
    </div>
  )
}
