import { TextField } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import type { AuthDraft } from './auth.ts'
import { AreaField, Group } from './fields.tsx'

const kinds = [
  ['none', 'None'],
  ['basic', 'User name and password'],
  ['bearer', 'Bearer token'],
] as const

type Props = { form: Form<{ auth: AuthDraft }>; isStored: boolean }

/** Fields for the credentials that nines sends. */
export function AuthFields({ form, isStored }: Props) {
  const { auth: draft } = form.draft
  const set = (change: Partial<AuthDraft>) => form.set({ auth: { ...draft, ...change } })
  const hint = isStored ? 'Stored, and not shown. It stays unless you type another one.' : undefined
  const inHeaders = form.at('auth.headers')
  const secret = { type: 'password', autocomplete: 'off', required: true, hint } as const
  return (
    <Group title="Credentials">
      <SelectField
        label="Authentication"
        value={draft.kind}
        options={kinds}
        onValue={(kind) => set({ kind })}
        problem={draft.kind === 'none' ? form.at('auth') : undefined}
      />
      {draft.kind === 'basic' && (
        <>
          <TextField
            label="User name"
            autocomplete="off"
            value={draft.username}
            onValue={(username) => set({ username })}
            problem={form.at('auth.basic.username')}
          />
          <TextField
            {...secret}
            label="Password"
            value={draft.password}
            onValue={(password) => set({ password })}
            problem={form.at('auth.basic.password') ?? form.at('auth')}
          />
        </>
      )}
      {draft.kind === 'bearer' && (
        <TextField
          {...secret}
          label="Token"
          value={draft.token}
          onValue={(token) => set({ token })}
          problem={form.at('auth.bearer.token') ?? form.at('auth')}
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
