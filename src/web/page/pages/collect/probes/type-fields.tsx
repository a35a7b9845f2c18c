import { TextField } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { AreaField, CheckField, Group } from '../form/fields.tsx'
import { methods, type ProbeDraft, recordTypes } from './probe-draft.ts'

type Props = { form: Form<ProbeDraft> }

/** Settings that define success for a probe type; the other settings are folded. */
export function TypeFields({ form }: Props) {
  if (form.draft.type === 'tcp') return <TcpFields form={form} />
  return form.draft.type === 'dns' ? <DnsFields form={form} /> : <HttpFields form={form} />
}

function HttpFields({ form }: Props) {
  return (
    <>
      <Group title="What counts as success">
        <TextField
          label="Expected statuses"
          placeholder="200 to 299"
          hint="Empty: 200 to 299. Else a list, such as 200, 204"
          {...form.field('expectedStatus')}
        />
        <TextField label="Body matches" hint="A regular expression; empty: any body" {...form.field('bodyMatches')} />
      </Group>
      <Group title="Request, redirects and certificate" isFolded>
        <SelectField
          label="Method"
          options={methods.map((method) => [method, method] as const)}
          {...form.field('method')}
        />
        <TextField
          label="Body does not match"
          hint="A regular expression that only a failure matches"
          {...form.field('bodyMatchesNot')}
        />
        <AreaField
          label="Headers"
          hint="One a line, such as X-Key: abc. Values are stored encrypted and shown as asterisks"
          {...form.field('headers')}
        />
        <AreaField label="Body of the request" hint="Not with GET and HEAD" {...form.field('body')} />
        <CheckField label="Follow redirects" {...form.field('followRedirects')} />
        <VerifyCertificate form={form} />
      </Group>
    </>
  )
}

function TcpFields({ form }: Props) {
  return (
    <Group title="What counts as success">
      <CheckField label="TLS handshake" hint="Else a connection is enough" {...form.field('tls')} />
      {form.draft.tls && <VerifyCertificate form={form} />}
    </Group>
  )
}

function DnsFields({ form }: Props) {
  return (
    <>
      <Group title="What counts as success">
        <SelectField
          label="Record type"
          options={recordTypes.map((type) => [type, type] as const)}
          {...form.field('recordType')}
        />
        <TextField
          label="Expected"
          hint="A regular expression that one record matches; empty: any record"
          {...form.field('expected')}
        />
      </Group>
      <Group title="Name server" isFolded>
        <TextField
          label="Server"
          placeholder="192.0.2.53:53"
          hint="Empty: that of the machine nines runs on"
          {...form.field('server')}
        />
      </Group>
    </>
  )
}

function VerifyCertificate({ form }: Props) {
  return (
    <CheckField
      label="Verify the certificate"
      hint="Expired, for another host, or of an unknown authority: a failure"
      {...form.field('verifyCertificate')}
    />
  )
}
