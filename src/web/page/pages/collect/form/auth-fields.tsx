import { TextField } from '../../../ui/form/field.tsx'
import type { AuthDraft } from './auth.ts'
import type { ProblemOf } from './edit-form.tsx'
import { AreaField, Group, SelectField } from './fields.tsx'

const kinds = [
  ['none', 'None'],
  ['basic', 'User name and password'],
  ['bearer', 'Bearer token'],
] as const

type Props = { draft: AuthDraft; isStored: boolean; onDraft: (draft: AuthDraft) => void; problemOf: ProblemOf }

/** Fields for the credentials that nines sends. */
export function AuthFields({ draft, isStored, onDraft, problemOf }: Props) {
  const set = (change: Partial<AuthDraft>) => onDraft({ ...draft, ...change })
  const hint = isStored ? 'Stored, and not shown. It stays unless you type another one.' : undefined
  const inHeaders = problemOf('auth.headers')
  const secret = { type: 'password', autocomplete: 'off', required: true, hint } as const
  return (
    <Group title="Credentials">
      <SelectField
        label="Authentication"
        value={draft.kind}
        options={kinds}
        onValue={(kind) => set({ kind })}
        problem={draft.kind === 'none' ? problemOf('auth') : undefined}
      />
      {draft.kind === 'basic' && (
        <>
          <TextField
            label="User name"
            autocomplete="off"
            value={draft.username}
            onValue={(username) => set({ username })}
            problem={problemOf('auth.basic.username')}
          />
          <TextField
            {...secret}
            label="Password"
            value={draft.password}
            onValue={(password) => set({ password })}
            problem={problemOf('auth.basic.password') ?? problemOf('auth')}
          />
        </>
      )}
      {draft.kind === 'bearer' && (
        <TextField
          {...secret}
          label="Token"
          value={draft.token}
          onValue={(token) => set({ token })}
          problem={problemOf('auth.bearer.token') ?? problemOf('auth')}
        />
      )}
      <AreaField
        label="Headers"
        hint="One a line, such as X-Scope-OrgID: team-a"
        value={draft.headers}
        onValue={(headers) => set({ headers })}
        problem={inHeaders}
      />
    </Group>
  )
}
