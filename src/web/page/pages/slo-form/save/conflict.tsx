import type { Slo } from '../../../api/types.ts'
import { Button } from '../../../ui/button.tsx'
import { fieldNames, valueText } from '../../slo/definition/change-words.ts'
import { changedFields } from './save.ts'
import { draftOfSlo } from '../draft.ts'

/** The SLO as somebody else has left it. */
export type Conflicting = { slo: Slo; by: string | null }

/** Somebody else has changed the SLO since it was opened here: what, and which of the two is to stay. */
export function Conflict(props: { slo: Slo; conflict: Conflicting; onSave: () => void; onLoad: () => void }) {
  const { slo, conflict, onSave, onLoad } = props
  const changed = Object.keys(changedFields(slo, draftOfSlo(conflict.slo)))
  const valueOf = (of: Slo, field: string) => valueText(field, (of as Record<string, unknown>)[field])
  return (
    <div class="form-note conflict" role="alert">
      <p>
        <strong>{conflict.by ?? 'Somebody'} has changed this SLO since you opened it</strong>
        {changed.length > 0 && ': '}
        {changed
          .map((field) => `${fieldNames[field] ?? field} ${valueOf(slo, field)} → ${valueOf(conflict.slo, field)}`)
          .join('; ')}
        .
      </p>
      <div class="fixes">
        <Button small onClick={onLoad}>
          Load that version
        </Button>
        <Button small onClick={onSave}>
          Save yours over it
        </Button>
      </div>
    </div>
  )
}
