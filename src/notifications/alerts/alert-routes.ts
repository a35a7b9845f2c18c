import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { listSilencesInForce } from '../silences/silence-store.ts'
import { getAlert, listAlerts, listNotificationsOfAlert } from './alert-list-store.ts'
import { AlertAnswer, AlertList, AlertListQuery, presentAlert, presentTold } from './alert-model.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

const success = true as const

/** `/notifications/alerts`: what is wrong with SLOs, and what was. */
export const alertRoutes = ({ db, clock, guard }: Deps) =>
  new Elysia({ prefix: '/notifications/alerts', tags: ['Alerting'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller: { organizationId }, query }) => {
        const { state = 'firing', slo_id: sloId } = query
        const page = readPage(query, 50)
        const nowMs = clock.now()
        const { rows, total } = await listAlerts(db.read, organizationId, { state, sloId, ...page })
        const silences = await listSilencesInForce(db.read, nowMs)
        const alerts = rows.map((row) => presentAlert(row, silences, nowMs))
        return { success, alerts, ...pageFields(page, total) }
      },
      {
        query: AlertListQuery,
        response: { 200: AlertList },
        detail: operation('listAlerts', 'List alerts'),
      },
    )
    .get(
      '/:id',
      async ({ caller, params }) => {
        const nowMs = clock.now()
        const row = await getAlert(db.read, caller.organizationId, params.id)
        const silences = await listSilencesInForce(db.read, nowMs)
        const notifications = (await listNotificationsOfAlert(db.read, row.id)).map(presentTold)
        return { success, data: { ...presentAlert(row, silences, nowMs), notifications } }
      },
      {
        params: t.Object({ id: Id('alert') }),
        response: { 200: AlertAnswer },
        detail: operation('getAlert', 'One alert, with what was told of it'),
      },
    )
