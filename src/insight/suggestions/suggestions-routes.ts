import { Elysia, t } from 'elysia'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { sourceProblems } from '../../sli/model.ts'
import { presentSuggestions, SuggestionsResponse } from './suggestions-model.ts'
import { createSuggestions, type SuggestionDeps } from './suggestions.ts'

/** SLOs that are suggested for the metrics of a source. */
export const suggestionRoutes = ({ guard, ...deps }: SuggestionDeps & { guard: GuardDeps }) => {
  const suggestionsOf = createSuggestions(deps)
  return new Elysia({ prefix: '/tsdb/sources/:id', tags: ['Sources'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .get(
      '/suggestions',
      async ({ caller, params }) => {
        const { row, found, sloOf } = await suggestionsOf(caller.organizationId, params.id)
        return presentSuggestions(row, found, sloOf)
      },
      operation('listSuggestions', 'SLOs that the metrics of a source are good for', {
        description:
          'Looks for metrics of requests, latencies, probes and scrapes that had traffic in the last day, and suggests at most 20 SLOs, each with ' +
          'its queries, a target that the past reached, and the past day by day. The source is asked at most once in five minutes.',
        params: t.Object({ id: Id('source') }),
        200: SuggestionsResponse,
        ...sourceProblems,
      }),
    )
}
