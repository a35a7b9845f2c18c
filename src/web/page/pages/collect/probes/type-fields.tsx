import type { FieldSpec } from '../../../ui/form/fields.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { Group } from '../form/group.tsx'
import { methods, type ProbeDraft, type ProbeType, recordTypes } from './probe-draft.ts'

type Spec = FieldSpec<ProbeDraft>

const verifyField: Spec = {
  name: 'verifyCertificate',
  kind: 'check',
  label: 'Verify the certificate',
  hint: 'Expired, for another host, or of an unknown authority: a failure',
}
const httpFields: readonly Spec[] = [
  {
    name: 'expectedStatus',
    label: 'Expected statuses',
    placeholder: '200 to 299',
    hint: 'Empty: 200 to 299. Else a list, such as 200, 204',
  },
  { name: 'bodyMatches', label: 'Body matches', hint: 'A regular expression; empty: any body' },
]
const requestFields: readonly Spec[] = [
  { name: 'method', kind: 'select', label: 'Method', options: methods.map((method) => [method, method]) },
  {
    name: 'bodyMatchesNot',
    label: 'Body does not match',
    hint: 'A regular expression that only a failure matches',
  },
  {
    name: 'headers',
    kind: 'area',
    label: 'Headers',
    hint: 'One a line, such as X-Key: abc. Values are stored encrypted and shown as asterisks',
    isCode: true,
  },
  { name: 'body', kind: 'area', label: 'Body of the request', hint: 'Not with GET and HEAD', isCode: true },
  { name: 'followRedirects', kind: 'check', label: 'Follow redirects' },
  verifyField,
]
const tlsField: Spec = { name: 'tls', kind: 'check', label: 'TLS handshake', hint: 'Else a connection is enough' }
const dnsFields: readonly Spec[] = [
  { name: 'recordType', kind: 'select', label: 'Record type', options: recordTypes.map((type) => [type, type]) },
  {
    name: 'expected',
    label: 'Expected',
    hint: 'A regular expression that one record matches; empty: any record',
  },
]
const serverField: Spec = {
  name: 'server',
  label: 'Server',
  placeholder: '192.0.2.53:53',
  hint: 'Empty: that of the machine nines runs on',
}

/** Settings of each type that are folded, under their title. */
const folded: Readonly<Partial<Record<ProbeType, readonly [title: string, fields: readonly Spec[]]>>> = {
  http: ['Request, redirects and certificate', requestFields],
  dns: ['Name server', [serverField]],
}

/** Settings that define success for a probe type; the other settings are folded. */
export function TypeFields({ form }: { form: Form<ProbeDraft> }) {
  const { type, tls } = form.draft
  const first = { http: httpFields, tcp: tls ? [tlsField, verifyField] : [tlsField], dns: dnsFields }[type]
  const [title, more] = folded[type] ?? []
  return (
    <>
      <Group title="What counts as success" form={form} of={first} />
      {title && more && <Group title={title} isFolded form={form} of={more} />}
    </>
  )
}
