import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { type FieldSpec, Fields } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Pager, usePage } from '../../../ui/pager.tsx'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { type PolicyDraft, policyDraftOf, policyOf } from '../../../slo/policy/policy-draft.ts'
import { PolicyFields } from '../../../slo/policy/policy-fields.tsx'
import { policyWords } from '../../../slo/policy/policy-words.ts'
import { Removal } from '../parts/removal.tsx'
import type { Team, TeamList } from '../types.ts'
import { inFieldNames, policyHint } from './words.ts'
import { deletedText, editLabel } from '../../../ui/named-words.ts'

const list = '/organization/teams'
const defaultTeamId = 1 // cannot be deleted: SLOs that name no team belong to it

const columns: Column<Team>[] = [
  { head: 'Team', cell: ({ name }) => name },
  { head: 'Error budget policy', cell: ({ budget_policy }) => <PolicyCell of={budget_policy} /> },
  { head: 'Since', cell: ({ created_at }) => <Time ms={Date.parse(created_at)} /> },
]

/** Teams, which group SLOs. Administrators change them. */
export function Teams() {
  const page = usePage()
  const teams = useRead<TeamList>(`${list}?page=${page}`)
  const [edited, edit] = useState<Team | 'new'>()
  const mayChange = !whyNot('administer')
  return (
    <section class="card section" aria-label="Teams">
      <div class="split">
        <h2>Teams</h2>
        {mayChange && (
          <Button small icon="plus" onClick={() => edit('new')}>
            New team
          </Button>
        )}
      </div>
      <p class="hint">Teams group SLOs. They carry no permissions.</p>
      <Read of={teams} heightPx={120}>
        {(value) => (
          <>
            <Table
              caption="Teams"
              columns={columns}
              rows={value.teams}
              rowKey={({ id }) => id}
              {...(mayChange && { actions: (team: Team) => <Actions of={team} onEdit={() => edit(team)} /> })}
            />
            <Pager of={value} what="teams" />
          </>
        )}
      </Read>
      {edited && <TeamForm of={edited === 'new' ? undefined : edited} onClose={() => edit(undefined)} />}
    </section>
  )
}

function Actions({ of: { id, name }, onEdit }: { of: Team; onEdit: () => void }) {
  return (
    <>
      <Button small aria-label={editLabel(name)} onClick={onEdit}>
        Edit
      </Button>
      {id !== defaultTeamId && (
        <Removal
          name={name}
          action="Delete"
          text="A team that has SLOs cannot be deleted."
          done={deletedText(name)}
          list={list}
          id={id}
        />
      )}
    </>
  )
}

const fields: readonly FieldSpec<TeamDraft>[] = [{ name: 'name', label: 'Name', required: true, maxLength: 200 }]

type TeamDraft = { name: string; policy: PolicyDraft }

function PolicyCell({ of: lines }: { of: Team['budget_policy'] }) {
  if (lines.length === 0) return <span class="muted">none</span>
  return (
    <>
      {lines.map((line) => (
        <div key={line.percent_left}>{policyWords(line)}</div>
      ))}
    </>
  )
}

function TeamForm({ of: team, onClose }: { of: Team | undefined; onClose: () => void }) {
  const form = useForm({
    initial: { name: team?.name ?? '', policy: policyDraftOf(team?.budget_policy ?? []) },
    names: { policy: 'budget_policy' },
    send: async ({ name, policy }) => {
      const body = { name, budget_policy: policyOf(policy) }
      await (team ? send('PUT', `${list}/${team.id}`, { body }) : send('POST', list, { body }))
      invalidate(list)
      invalidate('/slos')
    },
    done: 'Saved.',
    next: onClose,
  })
  const policy = form.field('policy')
  return (
    <FormDialog of={form} title={team ? editLabel(team.name) : 'New team'} action="Save" onClose={onClose}>
      <Fields of={fields} form={form} />
      <PolicyFields {...policy} hint={policyHint} problem={policy.problem && inFieldNames(policy.problem)} />
    </FormDialog>
  )
}
