import { type Static, t } from 'elysia'
import { FormatRegistry } from 'elysia/type-system'
import { isoTime } from '../clock.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { DataSourceRow } from '../db/tables/tables.ts'
import { embedded } from './embedded-source.ts'
import { EndpointAuth, maskAuth, unsealAuth } from '../http/endpoint-auth.ts'
import { Name } from '../http/schemas.ts'

FormatRegistry.Set('base-url', (value) => {
  const text = value.trim()
  if (text === embedded) return true
  if (text.length > 2000 || !/^https?:\/\/[^\s\p{Cc}?#]+$/iu.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
})

/** The URL in front of `/api/v1`, as Grafana asks for it; a trailing slash goes. Or `embedded`. */
const BaseUrl = t
  .Transform(
    t.String({
      format: 'base-url',
      description: 'an http(s) URL without credentials, query string and fragment, or embedded',
    }),
  )
  .Decode((value) => value.trim().replace(/\/+$/, ''))
  .Encode((value) => value)

const SourceFields = {
  name: Name({ most: 200 }),
  api_url: BaseUrl,
  auth: t.Optional(t.Nullable(EndpointAuth)),
  is_active: t.Optional(t.Boolean({ description: 'true or false' })),
  is_default: t.Optional(t.Boolean({ description: 'true or false' })),
}

export const SourceCreation = t.Object(SourceFields, {
  title: 'SourceCreation',
  examples: [{ name: 'Main', api_url: 'http://prometheus:9090', auth: { bearer: { token: 's3cret' } } }],
})

export const SourceUpdate = t.Object(
  {
    ...SourceFields,
    name: t.Optional(SourceFields.name),
    api_url: t.Optional(SourceFields.api_url),
  },
  { title: 'SourceUpdate', examples: [{ is_default: true }] },
)

export type SourceCreation = Static<typeof SourceCreation>
export type SourceUpdate = Static<typeof SourceUpdate>

export const DataSource = t.Object(
  {
    id: t.Number(),
    organization_id: t.Number(),
    name: t.String(),
    api_url: t.String(),
    auth: t.Nullable(EndpointAuth),
    is_active: t.Boolean(),
    is_default: t.Boolean(),
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'DataSource' },
)

export function presentSource(seal: Seal, row: DataSourceRow) {
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    api_url: row.api_url,
    auth: maskAuth(unsealAuth(seal, 'data_sources.sealed_auth', row)),
    is_active: row.is_active === 1,
    is_default: row.is_default === 1,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
