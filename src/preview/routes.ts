import { Elysia } from 'elysia'
import { invalid } from '../errors.ts'
import { operation } from '../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { ownQueryProblems } from '../sli/model.ts'
import { picksOf } from '../sli/picks.ts'
import { completeDefinition } from '../slos/definition.ts'
import { PicksResult, presentPreview, PreviewQuery, PreviewResult, SloPreview, SloQueries } from './model.ts'
import { previewSlo } from './preview.ts'

type Deps = Parameters<typeof previewSlo>[0] & { guard: GuardDeps }

/** Routes that say how an SLO would measure, and which picks of the form make its queries. They store nothing: viewers may use them. */
export const previewRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/slos', tags: ['SLOs'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .post(
      '/preview',
      async ({ caller, body, query }) => {
        const preview = await previewSlo(deps, caller.organizationId, body, { isWhatIf: query.what_if === 'true' })
        return presentPreview(preview, deps.clock.now())
      },
      operation('previewSlo', 'What an SLO would measure, without creating it', {
        description:
          'Stores nothing, and every role may send it. Measures the current and the own window, looks back over ' +
          'the past with the alerts that would have fired, and says in `problems` what is wrong with the query.',
        query: PreviewQuery,
        body: SloPreview,
        200: PreviewResult,
        ...ownQueryProblems,
      }),
    )
    .post(
      '/picks',
      ({ body }) => {
        if (Object.keys(body).length === 0) throw invalid('body', 'must have at least one query or a threshold')
        return { picks: picksOf(completeDefinition(body)) }
      },
      operation('readPicks', 'What the form of an SLO picks to make these queries', {
        description:
          'Stores nothing, asks no source, and every role may send it. `GET /slos/:id` and suggestions have the same `picks`.',
        body: SloQueries,
        200: PicksResult,
      }),
    )
