import type { Source } from '../../../api/types.ts'
import { Field } from '../../../ui/form/field.tsx'
import type { Form } from '../form-state.ts'
import { defaultSourceWords, sourceWords } from '../words.ts'

/** Choice of the source. If there is only one, shows no choice, but the problem of the field. */
export function SourceField({ form, sources }: { form: Form; sources: readonly Source[] }) {
  const { draft, change, problemsAt } = form
  const defaultSource = sources.find(({ is_default }) => is_default)
  const isOnly = sources.length < 2 && (draft.sourceId === null || draft.sourceId === sources[0]?.id)
  if (isOnly) return <>{problemsAt('source_id')}</>
  return (
    <Field label="Source" problem={problemsAt('source_id')}>
      {(ids) => (
        <select
          {...ids}
          class="input"
          value={draft.sourceId === null ? '' : String(draft.sourceId)}
          onChange={({ currentTarget: { value } }) => change({ sourceId: value === '' ? null : Number(value) })}
        >
          {defaultSource && <option value="">{defaultSourceWords(defaultSource.name)}</option>}
          {sources.map(({ id, name, is_active }) => (
            <option key={id} value={id} disabled={!is_active}>
              {sourceWords({ name, is_active })}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
