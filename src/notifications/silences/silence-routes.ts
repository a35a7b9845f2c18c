import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { Id } from '../../http/schemas.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import {
  ChangedSilence,
  EndedSilence,
  presentSilence,
  SilenceAnswer,
  SilenceCreation,
  SilenceList,
  SilenceListQuery,
  SilenceUpdate,
} from './silence-model.ts'
import { silenceStates } from './silence-store.ts'
import { changeSilence, createSilence, endSilence, getDescribed, listDescribed } from './silences.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

const params = t.Object({ id: Id('silence') })
const success = true as const

/** `/notifications/silences`: suppress notifications for a time, for one SLO or all SLOs with given labels. */
export const silenceRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/notifications/silences', tags: ['Alerting'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller: { organizationId }, query }) => {
        const { state } = query
        const page = readPage(query, 50)
        const nowMs = deps.clock.now()
        const states =
          state === undefined ? (['active', 'pending'] as const) : state === 'all' ? silenceStates : [state]
        const { rows, total } = await listDescribed(deps.db.read, organizationId, { states, nowMs, ...page })
        const silences = rows.map((row) => presentSilence(row, nowMs))
        return { success, silences, ...pageFields(page, total) }
      },
      operation('listSilences', 'List silences', {
        description:
          'Those in force and those to come; `state` chooses others, expired ones too. 50 to a page where ' +
          '`page_size` is absent.',
        query: SilenceListQuery,
        200: SilenceList,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => {
        const row = await getDescribed(deps.db.read, caller.organizationId, params.id)
        return { success, data: presentSilence(row, deps.clock.now()) }
      },
      operation('getSilence', 'One silence', {
        description: 'An expired one too. `slo_count` is how many SLOs it covers as things are now.',
        params,
        200: SilenceAnswer,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const row = await createSilence(deps, caller, body)
        set.status = 201
        return { success, message: 'Silence created', data: presentSilence(row, deps.clock.now()) }
      },
      operation('createSilence', 'Create a silence', {
        description:
          'For members. Holds back the alerts of one SLO (`slo_id`) or of all with the `labels` until `until`, or ' +
          'for `duration_seconds`, at most 366 days. Recoveries are still sent; what still fires at its end is ' +
          'notified then.',
        body: SilenceCreation,
        201: ChangedSilence,
        404: 'There is no such SLO',
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => {
        const row = await changeSilence(deps, caller, params.id, body)
        return { success, message: 'Silence updated', data: presentSilence(row, deps.clock.now()) }
      },
      operation('updateSilence', 'Change a silence; fields that are not sent stay', {
        description: 'For members. Its end and its comment can be changed; what it covers cannot.',
        params,
        body: SilenceUpdate,
        200: ChangedSilence,
        409: 'The silence has ended',
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, endSilence, { success, message: 'Silence ended' }),
      operation('endSilence', 'End a silence', {
        description:
          'For members. It stays in the list as expired. What still fires is notified at the next evaluation. ' +
          'A silence that has ended does not change.',
        params,
        200: EndedSilence,
      }),
    )
