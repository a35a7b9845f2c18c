import { authOf, type AuthDraft, draftOfAuth } from '../form/auth.ts'
import { AuthFields } from '../form/auth-fields.tsx'
import { EditForm } from '../form/edit-form.tsx'
import { formOf } from '../form/form-of.tsx'
import { Group } from '../form/group.tsx'
import { nameField } from '../form/own-fields.ts'
import type { Source, SourceTrial as Trial } from '../types.ts'
import { SourceTrial } from './source-trial.tsx'
import { withScheme } from '../../../ui/form/with-scheme.ts'

const path = '/tsdb/sources'

type Draft = { name: string; url: string; isDefault: boolean; isActive: boolean; auth: AuthDraft }

const urlField = {
  name: 'url',
  label: 'Base URL',
  placeholder: 'http://prometheus:9090',
  hint: 'The address that Grafana takes for it; or embedded, for the source inside of nines',
  required: true,
  autofocus: true,
} as const
const defaultField = {
  name: 'isDefault',
  kind: 'check',
  label: 'Default',
  hint: 'SLOs that name no source read it',
} as const
const activeField = {
  name: 'isActive',
  kind: 'check',
  label: 'Switched on',
  hint: 'Else its SLOs are unknown',
} as const
const names = { url: 'api_url', isDefault: 'is_default', isActive: 'is_active' }

export const SourceForm = formOf<Source>(path, Form, ({ updated_at }) => updated_at)

function Form({ of: source }: { of: Source | null }) {
  return (
    <EditForm
      back="/collect/sources"
      list={path}
      id={source?.id ?? null}
      initial={() => draftOf(source)}
      names={names}
      body={bodyOf}
      tryLabel="Test"
      trialOf={(answer: Trial, { name }) => <SourceTrial name={name} of={answer} />}
    >
      {(form) => (
        <>
          <Group title="What is asked" form={form} of={[urlField, { ...nameField, placeholder: 'main' }]} />
          {!isInside(form.draft) && <AuthFields form={form} isStored={source !== null && source.auth !== null} />}
          <Group
            title="Use"
            form={form}
            of={source?.is_default ? [activeField] : [defaultField, activeField]}
            above={
              source?.is_default && (
                <p class="hint">
                  It is the default: SLOs that name no source read it. Another one takes its place when that is made the
                  default.
                </p>
              )
            }
          />
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
