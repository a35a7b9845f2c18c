import { Elysia, t } from 'elysia'
import { deleteHandler } from '../../http/delete-handler.ts'
import { operation } from '../../http/openapi/operation.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { getCorrection, listCorrections } from '../../slos/corrections/store.ts'
import { presentPeriod, SloPeriod } from '../../slos/periods/routes.ts'
import { changeCorrection, type CorrectionDeps, createCorrection, deleteCorrection } from './corrections.ts'
import {
  ChangedCorrection,
  CorrectionAnswer,
  CorrectionCreation,
  CorrectionList,
  CorrectionListQuery,
  CorrectionPreview,
  CorrectionUpdate,
  DeletedCorrection,
  presentCorrection,
} from './model.ts'
import { previewCorrection } from './preview.ts'
import { recomputePeriod } from './recompute.ts'

type Deps = CorrectionDeps & { guard: GuardDeps }

const params = t.Object({ id: Id('correction') })
const success = true as const

/** `/corrections`: times that count neither good nor bad. */
export const correctionRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/corrections', tags: ['Corrections'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller: { organizationId }, query: { category, ...query } }) => {
        const page = readPage(query, 50)
        const { rows, total } = await listCorrections(deps.db.read, organizationId, { category, ...page })
        return { success, corrections: rows.map(presentCorrection), ...pageFields(page, total) }
      },
      operation('listCorrections', 'List corrections', {
        description: 'The newest first, 50 to a page where `page_size` is absent.',
        query: CorrectionListQuery,
        200: CorrectionList,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => {
        return { success, data: presentCorrection(await getCorrection(deps.db.read, caller.organizationId, params.id)) }
      },
      operation('getCorrection', 'One correction', {
        description: 'With its times and what it covers; what it excludes is in the budget of each SLO.',
        params,
        200: CorrectionAnswer,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const { row, sloCount } = await createCorrection(deps, caller, body)
        set.status = 201
        return { success, message: 'Correction created', data: presentCorrection(row), slo_count: sloCount }
      },
      operation('createCorrection', 'Exclude a time from the budgets of SLOs', {
        description:
          'For members. Events in this time count neither good nor bad for the SLOs that it covers, in the past and in the future. Either `from` and `to`, or the ' +
          'first `from` with `rrule` (FREQ=DAILY, WEEKLY or MONTHLY, INTERVAL, COUNT, UNTIL, BYDAY), `duration_seconds` and ' +
          '`time_zone`. It covers `slo_ids`, the SLOs of `team_id`, or those with all of the `labels`. Each minute that it ' +
          'touches is excluded. Stored periods stay as they are until they are recomputed.',
        body: CorrectionCreation,
        201: ChangedCorrection,
      }),
    )
    .post(
      '/preview',
      async ({ caller, body }) => previewCorrection(deps, caller, body),
      operation('previewCorrection', 'What a correction would do to budgets', {
        description:
          'For members. For each SLO that it would cover (at most 50), from its last evaluation and the ledger: no source is queried, and nothing is stored.',
        body: CorrectionCreation,
        200: CorrectionPreview,
      }),
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => {
        const { row, sloCount } = await changeCorrection(deps, caller, params.id, body)
        return { success, message: 'Correction updated', data: presentCorrection(row), slo_count: sloCount }
      },
      operation('updateCorrection', 'Change a correction; fields that are not sent stay', {
        description: 'For members. Its times, category and text can be changed; what it covers cannot.',
        params,
        body: CorrectionUpdate,
        200: ChangedCorrection,
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, deleteCorrection, { success, message: 'Correction deleted' }),
      operation('deleteCorrection', 'Delete a correction', {
        description:
          'For members. All that it excluded counts again, exactly as before. A silence that was made along with it ends.',
        params,
        200: DeletedCorrection,
      }),
    )

const periodParams = t.Object({
  id: Id('SLO'),
  start: t.String({ maxLength: 40, description: '`starts_at` of the period, an ISO 8601 time with a zone' }),
})

/** `POST /slos/:id/periods/:start/recompute`. */
export const recomputeRoutes = ({ guard, ...deps }: Pick<Deps, 'db' | 'clock' | 'guard'>) =>
  new Elysia({ prefix: '/slos/:id/periods', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'member' })).post(
    '/:start/recompute',
    async ({ caller, params: { id, start } }) => {
      return {
        success,
        message: 'Period recomputed',
        data: presentPeriod(await recomputePeriod(deps, caller, id, start)),
      }
    },
    operation('recomputeSloPeriod', 'Compute a stored period again, with the corrections of now', {
      description:
        'For members. From what was counted when the period was stored: no source is queried, and the target and the revision of the period stay. Not for composites.',
      params: periodParams,
      200: t.Object({ success: t.Literal(true), message: t.String(), data: SloPeriod }),
      404: 'There is no such SLO, or no such period of it',
      409: 'What was counted in the period is not known, or the SLO is a composite',
    }),
  )
