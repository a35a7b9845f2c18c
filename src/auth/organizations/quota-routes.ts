import { Elysia, t } from 'elysia'
import { operation } from '../../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { quotaNames, type QuotaUse } from '../../quotas.ts'

type Deps = { quotaUse: QuotaUse; guard: GuardDeps }

const QuotaList = t.Object(
  { quotas: t.Array(t.Object({ name: t.String(), limit: t.Number(), used: t.Number() })) },
  { title: 'QuotaList' },
)

/** `/organization/quotas`: what the organization may have, by the settings of the instance, and has; for administrators. */
export const quotaRoutes = ({ quotaUse, guard }: Deps) =>
  new Elysia({ prefix: '/organization/quotas', tags: ['Organization'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin' }))
    .get(
      '/',
      async ({ caller }) => {
        const used = await quotaUse.usedBy(caller.organizationId)
        const quotas = quotaNames.map((name) => ({ name, limit: quotaUse.limits[name], used: used[name] }))
        return {
          quotas: quotas.flatMap(({ used: count, ...quota }) => (count === undefined ? [] : { ...quota, used: count })),
        }
      },
      {
        response: { 200: QuotaList },
        detail: operation('listQuotas', 'What the organization may have at most, and has'),
      },
    )
