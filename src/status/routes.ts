import { createHash, timingSafeEqual } from 'node:crypto'
import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Metrics } from '../metrics.ts'

type Deps = { clock: Clock; metrics: Metrics; metricsToken: string | null; readiness: () => Promise<void> }

const State = t.Object({ status: t.String(), time: t.String() })

/** At the root of the server, outside of the versioned prefix, without a token (but for `METRICS_TOKEN`). */
export const statusRoutes = ({ clock, metrics, metricsToken, readiness }: Deps) =>
  new Elysia()
    .get('/health', () => ({ status: 'healthy', time: isoTime(clock.now()) }), { response: { 200: State } })
    .get(
      '/ready',
      async () => {
        await readiness()
        return { status: 'ready', time: isoTime(clock.now()) }
      },
      { response: { 200: State } },
    )
    .get('/metrics', async ({ request, set }) => {
      if (metricsToken !== null) assertToken(request.headers.get('authorization'), metricsToken)
      const { text, contentType } = await metrics.exposition()
      set.headers['content-type'] = contentType
      return text
    })

function assertToken(authorization: string | null, token: string): void {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  if (timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))) return
  throw new AppError('unauthenticated', 'Not signed in', {
    details: 'wanted Authorization: Bearer <METRICS_TOKEN>',
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}
