import { t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { PrometheusApi } from '../../embedded/api/embedded-api.ts'
import { referenceOf } from '../../embedded/api/reference.ts'
import type { Reply } from '../../embedded/api/replies.ts'
import { prometheusRoutes } from '../../embedded/api/routes.ts'
import type { CpuBudget } from '../../embedded/query-limits.ts'
import { Id } from '../../http/schemas.ts'
import type { GuardDeps } from '../../http/signed-in.ts'
import { embeddedUrl } from '../embedded-source.ts'
import type { SourceOpener } from '../source.ts'
import { assertActive, getSource, openRow } from '../store.ts'
import { externalApi } from './external-api.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  budget: CpuBudget
  sourceTimeoutMs: number
  /** API of the embedded source. */
  embeddedApi: { api: PrometheusApi; reply: Reply }
  sourceReplies: Reply
  guard: GuardDeps
}

const reference = referenceOf('SourceApi', { isForwarded: true })
const params = t.Object({ id: Id('source') }, { additionalProperties: true })

/** Routes of `/tsdb/sources/:id/prometheus`: the HTTP API of Prometheus for each source of the caller's organization. */
export function sourceApiRoutes({ guard, embeddedApi, sourceReplies, ...deps }: Deps) {
  return prometheusRoutes({
    guard,
    prefix: '/tsdb/sources/:id/prometheus/api/v1',
    tag: 'Sources',
    reference,
    params,
    async open(organizationId, { id }) {
      const row = await getSource(deps.db.read, organizationId, Number(id))
      if (row.api_url === embeddedUrl && row.is_active === 1) return embeddedApi
      const openActive = () => {
        assertActive(row)
        return openRow(deps, row)
      }
      return { api: externalApi({ ...deps, open: openActive }), reply: sourceReplies }
    },
  })
}
