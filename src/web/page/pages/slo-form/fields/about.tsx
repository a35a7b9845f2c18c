import type { Teams } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { Field, TextField } from '../../../ui/form/field.tsx'
import { proposedName, defaultTeamId } from '../draft.ts'
import type { Form } from '../form-state.ts'
import { Labels } from './labels.tsx'

/** Name, description, owner, runbook, team and labels of the SLO; of an edited one also whether it is paused. */
export function About({ form, isEdited }: { form: Form; isEdited: boolean }) {
  const { draft, change, problemsAt } = form
  const teams = useRead<Teams>('/organization/teams').value.value?.teams ?? []
  return (
    <>
      <TextField
        label="Name"
        value={draft.name ?? proposedName(draft)}
        maxLength={200}
        placeholder="Checkout answers"
        onValue={(name) => change({ name })}
        problem={problemsAt('name')}
      />
      <Field label="Description" problem={problemsAt('description')}>
        {(ids) => (
          <textarea
            {...ids}
            class="input"
            rows={2}
            maxLength={4000}
            placeholder="What users notice when it fails"
            value={draft.description}
            onInput={(event) => change({ description: event.currentTarget.value })}
          />
        )}
      </Field>
      <div class="grid">
        <TextField
          label="Owner"
          hint="Who is responsible; named in notifications"
          value={draft.owner}
          maxLength={200}
          placeholder="Payments"
          onValue={(owner) => change({ owner })}
          problem={problemsAt('owner')}
        />
        <TextField
          label="Runbook"
          hint="Linked in notifications"
          inputMode="url"
          value={draft.runbookUrl}
          placeholder="https://wiki.example.com/checkout"
          onValue={(runbookUrl) => change({ runbookUrl })}
          problem={problemsAt('runbook_url')}
        />
      </div>
      <div class="grid">
        {teams.length > 1 && (
          <Field label="Team" problem={problemsAt('team_id')}>
            {(ids) => (
              <select
                {...ids}
                class="input"
                value={draft.teamId ?? defaultTeamId}
                onChange={(event) => change({ teamId: Number(event.currentTarget.value) })}
              >
                {teams.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Labels form={form} />
      </div>
      {isEdited && (
        <label class="check">
          <input
            type="checkbox"
            checked={draft.isPaused}
            onChange={(event) => change({ isPaused: event.currentTarget.checked })}
          />
          <span>
            Paused <span class="muted">Not measured, and sends no notifications. Its data is kept.</span>
          </span>
        </label>
      )}
    </>
  )
}
