import { Elysia, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { PageFields, pageFields, PageQuery, readPage } from '../../http/paging.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { presentTier } from '../alerting/model.ts'
import type { TierSetting } from '../arithmetic/burn-rates.ts'
import { measurementFields } from '../revision-store.ts'
import { getSlo } from '../store.ts'
import { type Change, listChanges } from './store.ts'

type Deps = { db: Database; guard: GuardDeps }

const Value = t.Unknown({ description: 'as the field of the SLO; null where it had none' })

const SloChanges = t.Object(
  {
    changes: t.Array(
      t.Object({
        id: t.Number(),
        event: t.String({ description: 'created, changed, paused, resumed, deleted or restored' }),
        revision: t.Number({ description: 'the number of the way it is measured from then on' }),
        new_revision: t.Boolean({ description: 'whether that revision began with it' }),
        changed_at: t.String(),
        changed_by: t.Nullable(t.Number()),
        changed_by_name: t.Nullable(t.String({ description: 'null where the user has been removed' })),
        fields: t.Array(t.Object({ field: t.String(), before: Value, after: Value })),
      }),
    ),
    ...PageFields,
  },
  { title: 'SloChanges' },
)

const params = t.Object({ id: Id('SLO') })
const query = t.Object(PageQuery)

const usualPageSize = 20
const decidesRevision: ReadonlySet<string> = new Set(measurementFields)

/** Routes of `/slos/:id/changes`: the changes of an SLO, also of a deleted one. */
export const changeRoutes = ({ db, guard }: Deps) =>
  new Elysia({ prefix: '/slos/:id/changes', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'member' })).get(
    '/',
    async ({ caller, params, query }) => {
      const slo = await getSlo(db.read, caller.organizationId, params.id)
      const page = readPage(query, usualPageSize)
      const { rows, total } = await listChanges(db.read, slo.id, page)
      return { changes: rows.map(presentChange), ...pageFields(page, total) }
    },
    {
      ...operation('listSloChanges', 'What was changed of an SLO, newest first', {
        params,
        query,
        200: SloChanges,
        description: 'The latest 100. Each with what its fields were before and have been since.',
      }),
      beforeHandle: guard.answers.keep,
    },
  )

function presentChange({ fields, changed_at, ...change }: Change) {
  return {
    ...change,
    changed_at: isoTime(changed_at),
    new_revision: change.event === 'created' || fields.some(({ field }) => decidesRevision.has(field)),
    fields: fields.map(({ field, before, after }) => ({
      field,
      before: presentValue(field, before),
      after: presentValue(field, after),
    })),
  }
}

const storedAsJson = new Set([
  'composite',
  'labels',
  'burn_rate_tiers',
  'budget_thresholds',
  'budget_policy',
  'service_hours',
])

function presentValue(field: string, value: string | number | null): unknown {
  if (typeof value !== 'string' || !storedAsJson.has(field)) return value
  return field === 'burn_rate_tiers' ? (JSON.parse(value) as TierSetting[]).map(presentTier) : JSON.parse(value)
}
