import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { changeAlerting } from './alerting.ts'
import { Alerting, presentAlerting, readAlerting, SentAlerting } from './model.ts'
import { getSlo } from '../store.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

const params = t.Object({ id: Id('SLO') })

/** Routes of `/slos/:id/alerting`: the burn-rate tiers and budget thresholds of an SLO. Deleted SLOs are readable too. */
export const alertingRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/slos/:id/alerting', tags: ['Alerting'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller, params }) => presentAlerting(await getSlo(deps.db.read, caller.organizationId, params.id)),
      {
        ...operation('getAlerting', 'When an SLO alerts', {
          description:
            'Its burn-rate tiers, the fastest first, and its budget thresholds; those of the standard where none ' +
            'were set. `refused` says why a tier can never fire for the target.',
          params,
          200: Alerting,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .put(
      '/',
      async ({ caller, params, body }) =>
        presentAlerting(await changeAlerting(deps, caller, params.id, readAlerting(body))),
      operation('updateAlerting', 'Change when an SLO alerts; null is back to the standard', {
        description:
          'For members. Takes at most 10 tiers and 10 thresholds; a list that is not sent stays. A tier that could ' +
          'never fire for the target is refused.',
        params,
        body: SentAlerting,
        200: Alerting,
      }),
    )
