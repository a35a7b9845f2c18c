import { createHash, timingSafeEqual } from 'node:crypto'
import { Elysia, t } from 'elysia'
import { type Clock, isoTime, minuteMs } from '../clock.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { streamJson } from '../http/bodies/json-stream.ts'
import { textResponse } from '../http/openapi/by-hand.ts'
import { detailOf, operation } from '../http/openapi/operation.ts'
import { expositionType } from '../metrics/families.ts'
import type { TokenReader } from '../http/signed-in.ts'
import type { Expose, Reader } from './exposition.ts'

type Deps = {
  clock: Clock
  config: Pick<Config, 'metricsToken'>
  readiness: () => Promise<void>
  tokens: TokenReader
  expose: Expose
}

const State = t.Object({ status: t.String(), time: t.String() }, { title: 'State' })

const metricsDetail = detailOf('getMetrics', 'Metrics for Prometheus', {
  description:
    'With METRICS_TOKEN set, only for who sends `Authorization: Bearer <METRICS_TOKEN>`, who reads the series of all SLOs. ' +
    'Without it, a token of an organization adds the series of its SLOs; without a token there are none of any organization.',
  200: textResponse('The text format of Prometheus', 'text/plain'),
  401: 'The token is not METRICS_TOKEN, or none at all',
})

/** Routes at the root of the server, outside the versioned prefix. They need no token, but for `/metrics` where `METRICS_TOKEN` is set. */
export const statusRoutes = ({ clock, config, readiness, tokens, expose }: Deps) =>
  new Elysia({ tags: ['Operations'], detail: { security: [] } })
    .get(
      '/health',
      () => ({ status: 'healthy', time: isoTime(clock.now()) }),
      operation('getLiveness', 'Whether the process lives', {
        description:
          'Answers 200 for as long as the process can answer at all, whatever the state of its database: for a ' +
          'liveness probe. It is not counted by the rate limits.',
        200: State,
      }),
    )
    .get(
      '/ready',
      async () => {
        await readiness()
        return { status: 'ready', time: isoTime(clock.now()) }
      },
      operation('getReadiness', 'Whether it can serve', {
        description:
          'Answers 200 while nines can read and write its database, for a readiness probe or a load balancer. It ' +
          'is not counted by the rate limits.',
        200: State,
        503: 'It is stopping, cannot write to its database, or found it damaged',
      }),
    )
    .get(
      '/metrics',
      async ({ request }) => {
        const reader = await readerOf(request.headers.get('authorization'), config.metricsToken, tokens)
        const bytes = await expose(reader)
        if (bytes.length > pieceBytes)
          return streamJson(piecesOf(bytes), { timeoutMs: readWithinMs, contentType: expositionType })
        return new Response(bytes, { headers: { 'content-type': expositionType } })
      },
      { detail: metricsDetail },
    )

const pieceBytes = 1_048_576
const readWithinMs = minuteMs

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Determines the reader of a request; throws `unauthenticated` for an invalid token. */
async function readerOf(
  authorization: string | null,
  metricsToken: string | null,
  tokens: TokenReader,
): Promise<Reader> {
  if (metricsToken !== null) {
    assertToken(authorization, metricsToken)
    return 'all'
  }
  return authorization === null ? 'nobody' : (await tokens.identify(authorization)).organizationId
}

/** Throws `unauthenticated` unless METRICS_TOKEN was sent. Header strings are Latin-1, whatever bytes were sent. */
function assertToken(authorization: string | null, token: string): void {
  const sent = Buffer.from(authorization?.replace(/^bearer +/i, 'Bearer ') ?? '', 'latin1')
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
  if (timingSafeEqual(digest(sent), digest(Buffer.from(`Bearer ${token}`)))) return
  throw new AppError('unauthenticated', 'Not signed in', {
    details: 'must be Authorization: Bearer <METRICS_TOKEN>',
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}
