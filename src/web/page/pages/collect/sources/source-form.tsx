import { useResource } from '../../../api/use-resource.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { Read } from '../../../ui/read.tsx'
import { authOf, type AuthDraft, draftOfAuth } from '../form/auth.ts'
import { AuthFields } from '../form/auth-fields.tsx'
import { EditForm } from '../form/edit-form.tsx'
import { CheckField, Group } from '../form/fields.tsx'
import { NameField } from '../form/own-fields.tsx'
import type { Source, SourceTrial as Trial } from '../types.ts'
import { SourceTrial } from './source-trial.tsx'
import { withScheme } from '../../../ui/form/with-scheme.ts'

const path = '/tsdb/sources'

type Draft = { name: string; url: string; isDefault: boolean; isActive: boolean; auth: AuthDraft }

const names = { url: 'api_url', isDefault: 'is_default', isActive: 'is_active' }

export function SourceForm({ id }: { id: number | null }) {
  return id === null ? <Form source={null} /> : <Stored id={id} />
}

function Stored({ id }: { id: number }) {
  const source = useResource<Source>(`${path}/${id}`)
  return (
    <Read of={source} heightPx={400}>
      {(value) => <Form key={value.updated_at} source={value} />}
    </Read>
  )
}

function Form({ source }: { source: Source | null }) {
  return (
    <EditForm
      back="/collect/sources"
      list={path}
      id={source?.id ?? null}
      initial={() => draftOf(source)}
      names={names}
      body={bodyOf}
      tryLabel="Test"
      trialOf={(came: Trial, { name }) => <SourceTrial name={name} of={came} />}
    >
      {(form) => (
        <>
          <Group title="What is asked">
            <TextField
              label="Base URL"
              placeholder="http://prometheus:9090"
              hint="The address that Grafana takes for it; or embedded, for the source inside of nines"
              required
              autofocus
              {...form.field('url')}
            />
            <NameField form={form} placeholder="main" />
          </Group>
          {!isInside(form.draft) && <AuthFields form={form} isStored={source !== null && source.auth !== null} />}
          <Group title="Use">
            {source?.is_default ? (
              <p class="hint">
                It is the default: SLOs that name no source read it. Another one takes its place when that is made the
                default.
              </p>
            ) : (
              <CheckField label="Default" hint="SLOs that name no source read it" {...form.field('isDefault')} />
            )}
            <CheckField label="Switched on" hint="Else its SLOs are unknown" {...form.field('isActive')} />
          </Group>
        </>
      )}
    </EditForm>
  )
}

function draftOf(source: Source | null): Draft {
  return {
    name: source?.name ?? '',
    url: source?.api_url ?? '',
    isDefault: source?.is_default ?? false,
    isActive: source?.is_active ?? true,
    auth: draftOfAuth(source?.auth ?? null),
  }
}

function bodyOf(draft: Draft): object {
  return {
    name: draft.name,
    api_url: isInside(draft) ? 'embedded' : withScheme(draft.url),
    is_active: draft.isActive,
    auth: isInside(draft) ? null : authOf(draft.auth),
    ...(draft.isDefault && { is_default: true }),
  }
}

function isInside({ url }: Draft): boolean {
  return url.trim() === 'embedded'
}
