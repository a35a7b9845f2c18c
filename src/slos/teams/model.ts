import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { TeamRow } from '../../db/tables/tables.ts'
import { PageFields } from '../../http/paging.ts'
import { Name } from '../../http/schemas.ts'

export const TeamFields = t.Object(
  { name: Name({ most: 200 }) },
  { title: 'TeamFields', examples: [{ name: 'Payments' }] },
)

export const Team = t.Object({ id: t.Number(), name: t.String(), created_at: t.String() }, { title: 'Team' })

export const TeamList = t.Object(
  {
    teams: t.Array(Team),
    ...PageFields,
  },
  { title: 'TeamList' },
)

export function presentTeam({ id, name, created_at }: TeamRow) {
  return { id, name, created_at: isoTime(created_at) }
}
