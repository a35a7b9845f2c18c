import { Elysia, t } from 'elysia'
import { invalid } from '../../errors.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { operation } from '../../http/openapi/operation.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { getSlo } from '../store.ts'
import {
  type AnnotationDeps,
  changeAnnotation,
  createAnnotation,
  deleteAnnotation,
  getWithSloCount,
} from './annotations.ts'
import {
  AnnotationAnswer,
  AnnotationCreation,
  AnnotationList,
  AnnotationListQuery,
  AnnotationUpdate,
  ChangedAnnotation,
  DeletedAnnotation,
  presentAnnotation,
  presentWithSloCount,
} from './model.ts'
import { listAnnotations } from './store.ts'

type Deps = AnnotationDeps & { guard: GuardDeps }

const params = t.Object({ id: Id('annotation') })
const success = true as const
const tags = ['Annotations']

/** `POST /annotations`, which API tokens of the scope `annotate` may send, too. */
export const annotationCreationRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/annotations', tags }).use(signedIn({ ...guard, writes: 'member', scope: 'annotate' })).post(
    '/',
    async ({ caller, body, set }) => {
      const row = await createAnnotation(deps, caller, body)
      set.status = 201
      return { success, message: 'Annotation created', data: presentWithSloCount(row) }
    },
    operation('createAnnotation', 'Report a deploy, a change or a note', {
      description:
        'For members, whose API tokens may have the scope `annotate`. It is drawn on the charts of the SLOs that have its `labels`; ' +
        '`service` is short for the label of that name. Without `at`: now; in the past as far as nines keeps history.',
      body: AnnotationCreation,
      201: ChangedAnnotation,
    }),
  )

/** `/annotations`: deploys, changes and notes. */
export const annotationRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/annotations', tags })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller: { organizationId }, query }) => {
        const { slo_id, kind, start: startMs, end: endMs } = query
        if (startMs !== undefined && endMs !== undefined && startMs >= endMs) {
          throw invalid('start', 'must be before the end')
        }
        const slo = slo_id === undefined ? undefined : await getSlo(deps.db.read, organizationId, slo_id)
        const page = readPage(query, 50)
        const filter = { slo, kind, startMs, endMs }
        const { rows, total } = await listAnnotations(deps.db.read, organizationId, { ...filter, ...page })
        return { success, annotations: rows.map(presentAnnotation), ...pageFields(page, total) }
      },
      operation('listAnnotations', 'List annotations', {
        description:
          'The latest first, 50 to a page where `page_size` is absent. With `slo_id`: those that match this SLO; with `start` and ' +
          '`end`: those between them.',
        query: AnnotationListQuery,
        200: AnnotationList,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => {
        return {
          success,
          data: presentWithSloCount(await getWithSloCount(deps.db.read, caller.organizationId, params.id)),
        }
      },
      operation('getAnnotation', 'One annotation', {
        description: '`slo_count` is how many SLOs it matches as things are now.',
        params,
        200: AnnotationAnswer,
      }),
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => {
        const row = await changeAnnotation(deps, caller, params.id, body)
        return { success, message: 'Annotation updated', data: presentWithSloCount(row) }
      },
      operation('updateAnnotation', 'Change an annotation; fields that are not sent stay', {
        description: 'For members. A `service` or `labels` replace both.',
        params,
        body: AnnotationUpdate,
        200: ChangedAnnotation,
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, deleteAnnotation, { success, message: 'Annotation deleted' }),
      operation('deleteAnnotation', 'Delete an annotation', {
        description: 'For members. It is drawn nowhere any more; the audit log keeps it.',
        params,
        200: DeletedAnnotation,
      }),
    )
