import type { Slo } from '../../../api/types.ts'
import { Button } from '../../../ui/button.tsx'
import { fieldName } from '../../../slo/change-words.ts'
import { valueText } from '../../../slo/change-values.ts'
import { changedFields } from './save.ts'
import { type Draft, draftOfSlo } from '../draft.ts'
import { conflictSentence } from './words.ts'

/** The SLO with the changes of somebody else. */
export type Conflicting = { slo: Slo; by: string | null }

/**
 * Note that somebody else has changed the SLO since the form was opened: the changes, and the choice between the two versions.
 * Fields that only the other has changed stay as they are now.
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
  const isApart = own.length > 0 && !own.some((field) => changed.includes(field))
  const valueOf = (of: Slo, field: string) => valueText(field, (of as Record<string, unknown>)[field])
  return (
    <div class="form-note conflict" role="alert">
      <p>
        {conflictSentence(
          <strong>{conflict.by ?? 'Somebody'} has changed this SLO since you opened it</strong>,
          changed.map((field) => `${fieldName(field)} ${valueOf(slo, field)} → ${valueOf(conflict.slo, field)}`),
          isApart ? own.map(fieldName) : [],
        )}
      </p>
      <div class="fixes cluster">
        <Button small onClick={onLoad}>
          Load that version
        </Button>
        <Button small onClick={onSave}>
          {isApart ? 'Save yours too' : 'Save yours over it'}
        </Button>
      </div>
    </div>
  )
}
