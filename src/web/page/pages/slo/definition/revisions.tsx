import { ofSlo } from '../../../api/live-reads.ts'
import type { Change, ChangedField, Changes } from '../../../api/history.ts'
import type { Slo } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { Pager, usePage } from '../../../ui/pager.tsx'
import { Read } from '../../../ui/read.tsx'
import { Time } from '../../../ui/time.tsx'
import { capitalized } from '../../../incidents/alert-words.ts'
import { fieldName } from '../../../slo/change-words.ts'
import { isQuery, valueText } from '../../../slo/change-values.ts'
import { revisedWords, revisionLabel } from './words.ts'

/** Changes of an SLO, newest first: author, time, and each field before and after. */
export function Revisions({ slo }: { slo: Slo }) {
  const page = usePage()
  const changes = useRead<Changes>(`/slos/${slo.id}/changes?page=${page}&page_size=20`, { live: ofSlo(slo.id) })
  return (
    <Read of={changes} heightPx={240}>
      {(value) => (
        <>
          <ol class="revisions">
            {value.changes.map((change) => (
              <Entry key={change.id} change={change} />
            ))}
          </ol>
          <Pager of={value} what="revisions" />
        </>
      )}
    </Read>
  )
}

function Entry({ change }: { change: Change }) {
  const { event, revision, new_revision, changed_at, changed_by_name: by, fields } = change
  return (
    <li>
      <h3>
        {revisedWords({ event, by, at: <Time ms={Date.parse(changed_at)} /> })}
        {new_revision && <span class="tag">{revisionLabel(revision)}</span>}
      </h3>
      {fields.length > 0 && (
        <dl class="revised">
          {fields.map((field) => (
            <Field key={field.field} of={field} />
          ))}
        </dl>
      )}
    </li>
  )
}

function Field({ of: { field, before, after } }: { of: ChangedField }) {
  const Text = isQuery(field) ? 'code' : 'span'
  return (
    <div>
      <dt>{capitalized(fieldName(field))}</dt>
      <dd>
        <Text class="before">{valueText(field, before)}</Text>
        <span class="arrow">
          <span aria-hidden="true">→</span>
          <span class="hidden-text">became</span>
        </span>
        <Text class="after">{valueText(field, after)}</Text>
      </dd>
    </div>
  )
}
