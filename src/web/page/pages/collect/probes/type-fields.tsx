import type { FieldSpec } from '../../../ui/form/fields.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { AuthFields, CertificateFields } from '../form/auth-fields.tsx'
import { Group } from '../form/group.tsx'
import { methods, type ProbeDraft, recordTypes } from './probe-draft.ts'

type Spec = FieldSpec<ProbeDraft>

const successTitle = 'What counts as success'

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
const conditionFields: readonly Spec[] = [
  {
    name: 'jsonConditions',
    kind: 'area',
    label: 'JSON of the body',
    placeholder: '$.status == "UP"',
    hint: 'One a line, with ==, !=, <, <=, >, >= or contains',
    isCode: true,
  },
  { name: 'bodyContains', label: 'Body contains', hint: 'A text' },
  { name: 'bodyContainsNot', label: 'Body does not contain', hint: 'A text that only a failure has' },
  {
    name: 'bodyMatchesNot',
    label: 'Body does not match',
    hint: 'A regular expression that only a failure matches',
  },
  { name: 'responseTime', label: 'Response time below, in ms', hint: 'From DNS to the last byte' },
  {
    name: 'headerMatches',
    kind: 'area',
    label: 'Headers of the answer',
    placeholder: 'Content-Type: ^application/json',
    hint: 'One a line, each with a regular expression that it matches',
    isCode: true,
  },
]
const requestFields: readonly Spec[] = [
  { name: 'method', kind: 'select', label: 'Method', options: methods.map((method) => [method, method]) },
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

type Props = { form: Form<ProbeDraft>; isAuthStored: boolean }

/** Settings of a probe type: first those that define success for most users; the others are folded. */
export function TypeFields({ form, isAuthStored }: Props) {
  const { type, tls } = form.draft
  switch (type) {
    case 'http':
      return <HttpFields form={form} isAuthStored={isAuthStored} />
    case 'tcp':
      return (
        <>
          <Group title={successTitle} form={form} of={tls ? [tlsField, verifyField] : [tlsField]} />
          {tls && <CertificateFields title="Certificates for TLS" form={authFormOf(form)} />}
        </>
      )
    case 'dns':
      return (
        <>
          <Group title={successTitle} form={form} of={dnsFields} />
          <Group title="Name server" isFolded form={form} of={[serverField]} />
        </>
      )
    case 'icmp':
      return null
  }
}

function authFormOf({ draft, set, problemAt }: Props['form']) {
  return { draft, set, problemAt: (name: string) => problemAt(`settings.${name}`) }
}

function HttpFields({ form, isAuthStored }: Props) {
  return (
    <>
      <Group title={successTitle} form={form} of={httpFields} />
      <Group title="Conditions on the answer" isFolded form={form} of={conditionFields} />
      <AuthFields form={authFormOf(form)} isStored={isAuthStored} isInProbe />
      <Group title="Request, redirects and certificate" isFolded form={form} of={requestFields} />
    </>
  )
}
