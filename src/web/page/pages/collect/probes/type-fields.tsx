import { TextField } from '../../../ui/form/field.tsx'
import type { ProblemOf } from '../form/edit-form.tsx'
import { AreaField, CheckField, Group, SelectField } from '../form/fields.tsx'
import { methods, type ProbeDraft, recordTypes } from './probe-draft.ts'

type Props = { draft: ProbeDraft; onDraft: (change: Partial<ProbeDraft>) => void; problemOf: ProblemOf }

/** Settings that define success for a probe type; the other settings are folded. */
export function TypeFields(props: Props) {
  if (props.draft.type === 'tcp') return <TcpFields {...props} />
  return props.draft.type === 'dns' ? <DnsFields {...props} /> : <HttpFields {...props} />
}

function HttpFields({ draft, onDraft, problemOf }: Props) {
  return (
    <>
      <Group title="What counts as success">
        <TextField
          label="Expected statuses"
          placeholder="200 to 299"
          hint="Empty: 200 to 299. Else a list, such as 200, 204"
          value={draft.expectedStatus}
          onValue={(expectedStatus) => onDraft({ expectedStatus })}
          problem={problemOf('settings.expected_status')}
        />
        <TextField
          label="Body matches"
          hint="A regular expression; empty: any body"
          value={draft.bodyMatches}
          onValue={(bodyMatches) => onDraft({ bodyMatches })}
          problem={problemOf('settings.body_matches')}
        />
      </Group>
      <Group title="Request, redirects and certificate" isFolded>
        <SelectField
          label="Method"
          value={draft.method}
          options={methods.map((method) => [method, method] as const)}
          onValue={(method) => onDraft({ method })}
          problem={problemOf('settings.method')}
        />
        <TextField
          label="Body does not match"
          hint="A regular expression that only a failure matches"
          value={draft.bodyMatchesNot}
          onValue={(bodyMatchesNot) => onDraft({ bodyMatchesNot })}
          problem={problemOf('settings.body_matches_not')}
        />
        <AreaField
          label="Headers"
          hint="One a line, such as X-Key: abc. Values are stored encrypted and shown as asterisks"
          value={draft.headers}
          onValue={(headers) => onDraft({ headers })}
          problem={problemOf('settings.headers')}
        />
        <AreaField
          label="Body of the request"
          hint="Not with GET and HEAD"
          value={draft.body}
          onValue={(body) => onDraft({ body })}
          problem={problemOf('settings.body')}
        />
        <CheckField
          label="Follow redirects"
          checked={draft.followRedirects}
          onChecked={(followRedirects) => onDraft({ followRedirects })}
        />
        <VerifyCertificate draft={draft} onDraft={onDraft} />
      </Group>
    </>
  )
}

function TcpFields({ draft, onDraft }: Props) {
  return (
    <Group title="What counts as success">
      <CheckField
        label="TLS handshake"
        hint="Else a connection is enough"
        checked={draft.tls}
        onChecked={(tls) => onDraft({ tls })}
      />
      {draft.tls && <VerifyCertificate draft={draft} onDraft={onDraft} />}
    </Group>
  )
}

function DnsFields({ draft, onDraft, problemOf }: Props) {
  return (
    <>
      <Group title="What counts as success">
        <SelectField
          label="Record type"
          value={draft.recordType}
          options={recordTypes.map((type) => [type, type] as const)}
          onValue={(recordType) => onDraft({ recordType })}
          problem={problemOf('settings.record_type')}
        />
        <TextField
          label="Expected"
          hint="A regular expression that one record matches; empty: any record"
          value={draft.expected}
          onValue={(expected) => onDraft({ expected })}
          problem={problemOf('settings.expected')}
        />
      </Group>
      <Group title="Name server" isFolded>
        <TextField
          label="Server"
          placeholder="192.0.2.53:53"
          hint="Empty: that of the machine nines runs on"
          value={draft.server}
          onValue={(server) => onDraft({ server })}
          problem={problemOf('settings.server')}
        />
      </Group>
    </>
  )
}

function VerifyCertificate({ draft, onDraft }: Pick<Props, 'draft' | 'onDraft'>) {
  return (
    <CheckField
      label="Verify the certificate"
      hint="Expired, for another host, or of an unknown authority: a failure"
      checked={draft.verifyCertificate}
      onChecked={(verifyCertificate) => onDraft({ verifyCertificate })}
    />
  )
}
