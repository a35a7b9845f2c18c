import { certificateFields, type CertificatesDraft, certificatesTitle } from '../../../ui/form/certificates.ts'
import type { Form } from '../../../ui/form/use-form.ts'
import type { AuthDraft } from './auth.ts'
import { Group } from './group.tsx'

const kinds = [
  ['none', 'None'],
  ['basic', 'User name and password'],
  ['bearer', 'Bearer token'],
] as const
const headersField = {
  name: 'headers',
  kind: 'area',
  label: 'Headers',
  hint: 'One a line, such as X-Scope-OrgID: team-a',
  isCode: true,
} as const
const names = {
  username: 'auth.basic.username',
  password: 'auth.basic.password',
  token: 'auth.bearer.token',
  headers: 'auth.headers',
  ca: 'auth.tls.ca',
  certificate: 'auth.tls.certificate',
  key: 'auth.tls.key',
}

type Props = {
  form: Pick<Form<{ auth: AuthDraft }>, 'draft' | 'set' | 'problemAt'>
  isStored: boolean
  /** Folded, and without headers, which a probe has among its settings. */
  isInProbe?: boolean
}

type CertificatesProps = Pick<Props, 'form'> & { title: string }

/** Fields for the certificates of credentials alone, for a server that does not speak HTTP. */
export function CertificateFields({ form, title }: CertificatesProps) {
  const { auth } = form.draft
  const certificates: Pick<Form<CertificatesDraft>, 'draft' | 'field'> = {
    draft: auth,
    field: (key) => ({
      value: auth[key],
      onValue: (value) => form.set({ auth: { ...auth, [key]: value } }),
      problem: form.problemAt(names[key]) ?? (key === 'ca' ? form.problemAt('auth.tls') : undefined),
    }),
  }
  return <Group title={title} isFolded form={certificates} of={certificateFields} />
}

/** Fields for the credentials that nines sends. */
export function AuthFields({ form, isStored, isInProbe = false }: Props) {
  const { auth } = form.draft
  const problemOf = (key: keyof AuthDraft) => {
    if (key === 'kind') return auth.kind === 'none' ? form.problemAt('auth') : undefined
    return form.problemAt(names[key]) ?? (key === 'password' || key === 'token' ? form.problemAt('auth') : undefined)
  }
  const secret = {
    type: 'password',
    autocomplete: 'off',
    required: true,
    hint: isStored ? 'Stored, and not shown. It stays unless you type another one.' : undefined,
  } as const
  const authForm: Pick<Form<AuthDraft>, 'draft' | 'field'> = {
    draft: auth,
    field: (key) => ({
      value: auth[key],
      onValue: (value) => form.set({ auth: { ...auth, [key]: value } }),
      problem: problemOf(key),
    }),
  }
  return (
    <>
      <Group
        title="Credentials"
        isFolded={isInProbe}
        form={authForm}
        of={[
          { name: 'kind', kind: 'select', label: 'Authentication', options: kinds },
          ...(auth.kind === 'basic'
            ? ([
                { name: 'username', label: 'User name', autocomplete: 'off' },
                { ...secret, name: 'password', label: 'Password' },
              ] as const)
            : []),
          ...(auth.kind === 'bearer' ? [{ ...secret, name: 'token', label: 'Token' } as const] : []),
          ...(isInProbe ? [] : [headersField]),
        ]}
      />
      <Group title={certificatesTitle} isFolded form={authForm} of={certificateFields} />
    </>
  )
}
