import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import type { Problem } from '../../errors.ts'
import type { Definition } from '../definition.ts'
import { parseComposite } from '../arithmetic/composite.ts'

/** Active composite that has an SLO as a member. */
export type Holder = { id: number; name: string }

/** Lists the active composites of the organization that have this SLO as a member, by id. */
export async function listHolders(db: Db, organizationId: number, sloId: number): Promise<Holder[]> {
  return (await holdersOf(db, { organizationId, sloId })).rows
}

const holdersOf = prepared<{ organizationId: number; sloId: number }, Holder>(
  ({ organizationId, sloId }) => sql`
    select id, name from slos indexed by slos_composite
    where organization_id = ${organizationId} and composite is not null and active = 1
      and exists (select 1 from json_each(composite, '$.members') where value->>'slo_id' = ${sloId})
    order by id`,
)

/** Lists the SLOs of the organization that have these ids, deleted ones too, in no order. */
export async function listMembers(db: Db, organizationId: number, ids: readonly number[]): Promise<SloRow[]> {
  return db
    .selectFrom('slos')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', among([...ids]))
    .execute()
}

type Composed = Pick<SloRow, 'organization_id' | 'composite'> & { id?: number }

/**
 * Problems of the members of a composite: each must be an active SLO of the organization that fits the method of the composite, which
 * must not be a member itself. No problems for an SLO that is no composite.
 */
export async function memberProblems(
  trx: Db,
  slo: Composed,
  countsEvents: (definition: Definition) => boolean,
): Promise<Problem[]> {
  const composite = parseComposite(slo)
  if (composite === null) return []
  const ids = composite.members.map(({ slo_id }) => slo_id)
  const rows = new Map((await listMembers(trx, slo.organization_id, ids)).map((row) => [row.id, row]))
  const holders = slo.id === undefined ? [] : await listHolders(trx, slo.organization_id, slo.id)
  return [
    ...holders.map(({ name }): Problem => {
      return { field: 'composite', message: `cannot be sent: the SLO is a member of ${name}`, code: 'exclusive' }
    }),
    ...ids.flatMap((id, index): Problem[] => {
      const field = `composite.members.${index}.slo_id`
      const row = rows.get(id)
      if (!row || row.active === 0) {
        return [{ field, message: `must be an active SLO of your organization (got ${id})`, code: 'unknown' }]
      }
      if (row.composite !== null || id === slo.id) {
        return [{ field, message: `cannot be a composite (got ${id}, ${row.name})`, code: 'invalid' }]
      }
      const fits = composite.method !== 'events' || countsEvents(row)
      const message = `must count events, as the method events adds them up (${id}, ${row.name}, counts time)`
      return fits ? [] : [{ field, message, code: 'invalid' }]
    }),
  ]
}

/** Problem of a changed SLO that counts time although it is a member of a composite that adds up the events of its members. */
export async function holderProblems(
  trx: Db,
  slo: SloRow,
  countsEvents: (definition: Definition) => boolean,
): Promise<Problem[]> {
  if (slo.composite !== null || countsEvents(slo)) return []
  const { rows } = await holdersByEvents(trx, { organizationId: slo.organization_id, sloId: slo.id })
  return rows.map(({ name }) => {
    const message = `must count events while the SLO is a member of ${name}, which adds them up`
    return { field: 'metric_query', message, code: 'invalid' }
  })
}

const holdersByEvents = prepared<{ organizationId: number; sloId: number }, Holder>(
  ({ organizationId, sloId }) => sql`
    select id, name from slos indexed by slos_composite
    where organization_id = ${organizationId} and composite is not null and active = 1 and composite->>'method' = 'events'
      and exists (select 1 from json_each(composite, '$.members') where value->>'slo_id' = ${sloId})
    order by id limit 1`,
)
