import { useMemo } from 'preact/hooks'
import { PromqlEditor } from '../../../editor/promql-editor.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field, TextField } from '../../../ui/form/field.tsx'
import { definitionOfDraft } from '../draft.ts'
import type { Form } from '../form-state.ts'
import type { WrittenQueries } from '../picks/picks.ts'
import { writtenOf } from '../picks/read.ts'
import { Segments } from './segments.tsx'

const types: Record<WrittenQueries['type'], string> = {
  ratio: 'One ratio',
  good: 'Good and all',
  bad: 'Bad and all',
  threshold: 'A bound',
}
const comparisons = { lte: 'at most (≤)', lt: 'below (<)', gte: 'at least (≥)', gt: 'above (>)' }

/** The resulting queries, always visible. Editing them switches to PromQL, with a way back to the picks. */
export function Queries({ form }: { form: Form }) {
  const { draft, change, pick } = form
  const isWritten = draft.kind === 'promql'
  const definition = definitionOfDraft(draft)
  const written = isWritten ? draft.picks.promql : definition && writtenOf(definition)
  const write = (changes: Partial<WrittenQueries>) => {
    if (isWritten) return pick('promql', changes)
    if (!definition) return
    const promql = { ...writtenOf(definition), ...changes }
    change({ kind: 'promql', before: draft.kind, picks: { ...draft.picks, promql } })
  }
  const back = draft.before
  return (
    <section class="queries-made" aria-label="PromQL">
      <h3>PromQL</h3>
      {isWritten && (
        <Segments
          label="What the query is"
          value={draft.picks.promql.type}
          of={types}
          onChange={(type) => pick('promql', convertType(draft.picks.promql, type))}
        />
      )}
      {back !== null && (
        <p class="notice-line">
          Edited by hand: the picks no longer make it.{' '}
          <Button small icon="undo-2" onClick={() => change({ kind: back, before: null })}>
            Back to the picks
          </Button>
        </p>
      )}
      {written ? (
        <QueryFields form={form} written={written} onWrite={write} />
      ) : (
        <p class="hint">It appears here once enough is picked, and can be edited.</p>
      )}
    </section>
  )
}

function QueryFields(props: {
  form: Form
  written: WrittenQueries
  onWrite: (changes: Partial<WrittenQueries>) => void
}) {
  const { form, written, onWrite } = props
  const { type } = written
  const problemsAt = (field: string) => (form.draft.kind === 'promql' ? form.problemsAt(field) : undefined)
  if (type === 'good' || type === 'bad') {
    return (
      <>
        <Query
          form={form}
          fields={['good_query', 'bad_query']}
          label={type === 'good' ? 'Good events' : 'Bad events'}
          value={written.counted}
          onChange={(counted) => onWrite({ counted })}
        />
        <Query
          form={form}
          fields={['total_query']}
          label="All events"
          value={written.total_query}
          onChange={(total_query) => onWrite({ total_query })}
        />
      </>
    )
  }
  return (
    <>
      <Query
        form={form}
        fields={['metric_query']}
        label="Query"
        value={written.metric_query}
        onChange={(metric_query) => onWrite({ metric_query })}
      />
      {type === 'threshold' && (
        <div class="grid">
          <Field label="Good when the value is" problem={problemsAt('threshold_op')}>
            {(ids) => (
              <select
                {...ids}
                class="input"
                value={written.threshold_op}
                onChange={(event) => onWrite({ threshold_op: event.currentTarget.value })}
              >
                {Object.entries(comparisons).map(([op, text]) => (
                  <option key={op} value={op}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <TextField
            label="Bound"
            value={written.threshold}
            onValue={(threshold) => onWrite({ threshold })}
            problem={problemsAt('threshold')}
          />
        </div>
      )}
    </>
  )
}

function Query(props: {
  form: Form
  fields: string[]
  label: string
  value: string
  onChange: (value: string) => void
}) {
  const { form, fields, label, value, onChange } = props
  const own = useMemo(() => form.problemsOf(...fields), [form.problems, fields.join()])
  return (
    <div class="control-group">
      <span class="control-group-label">{label}</span>
      <PromqlEditor label={label} value={value} onChange={onChange} sourceId={form.sourceId} problems={own} />
      {form.draft.kind === 'promql' && form.problemsAt(...fields) /* other kinds show them at the picks */}
    </div>
  )
}

/** Converts written queries to another type. Texts that have no field there are kept for the way back. */
function convertType(written: WrittenQueries, type: WrittenQueries['type']): Partial<WrittenQueries> {
  const isPair = type === 'good' || type === 'bad'
  if (isPair && written.counted === '' && written.total_query === '') return { type, counted: written.metric_query }
  if (!isPair && written.metric_query === '') return { type, metric_query: written.counted }
  return { type }
}
