import { Elysia, type Static, t } from 'elysia'
import { type Clock, dayMs, isoTime, isoTimeOrNull } from '../../clock.ts'
import { operation } from '../../http/openapi/operation.ts'
import { OneOf } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { Collector } from '../collection/collector.ts'
import type { Intake } from '../collection/intake.ts'
import type { Heartbeats } from '../heartbeats/keeper.ts'
import { intakeOfSenders, refusedSenders, type RefusedSender } from '../ingest/refused-senders.ts'
import { sendingProtocols, type Senders } from '../ingest/senders.ts'

type Deps = {
  clock: Clock
  guard: GuardDeps
  collector: Pick<Collector, 'intakeOf'>
  heartbeats: Pick<Heartbeats, 'intakeOf'>
  senders: Pick<Senders, 'list' | 'listUnknown'>
  /** True for the instance's first organization, which alone sees requests that belong to no organization. */
  isFirst: (organizationId: number) => Promise<boolean>
}

const ways = ['target', 'probe', 'heartbeat', ...sendingProtocols] as const

const Ingestion = t.Object(
  {
    ways: t.Array(
      t.Object({
        way: OneOf(ways, 'what brings the samples'),
        count: t.Number({
          description: 'how many active targets, probes or heartbeats, or how many senders, there are',
        }),
        samples_per_second: t.Number({
          description:
            'the number of samples per second: by the last runs, or for senders the mean of the last 5 to 10 minutes',
        }),
        series: t.Number({
          description: 'the number of series of the last runs, or for senders of the last 5 to 10 minutes',
        }),
        last_stored_at: t.Nullable(
          t.String({ description: 'time of the newest samples; null: none since nines started' }),
        ),
        last_error: t.Nullable(
          t.Object({
            of: t.String({ description: 'name of the target, probe or heartbeat, or what the sender sends as' }),
            message: t.String(),
            at: t.String(),
          }),
        ),
      }),
    ),
    refused: t.Array(
      t.Object({
        protocol: OneOf([...sendingProtocols, 'report'], 'how it sends; report: to the address of a heartbeat'),
        sends_as: t.Nullable(
          t.String({ description: 'as in the list of senders; null: its token or address is not known' }),
        ),
        address: t.String({ description: 'IP address that it sends from' }),
        user_agent: t.String(),
        refused_requests: t.Number({ description: 'the number of requests that were refused since nines started' }),
        last_refused_at: t.String(),
        last_refused_reason: t.Nullable(t.String({ description: 'null: its token or address is not known' })),
      }),
    ),
  },
  { title: 'Ingestion' },
)

/** `/embedded/ingestion`: what comes into the embedded source, by each way. */
export const ingestionRoutes = ({ guard, clock, collector, heartbeats, senders, isFirst }: Deps) =>
  new Elysia({ prefix: '/embedded/ingestion', tags: ['Embedded source'] })
    .use(signedIn({ ...guard, writes: 'admin' }))
    .get(
      '/',
      async ({ caller: { organizationId: id } }) => {
        const known = senders.list(id)
        const unknown = (await isFirst(id)) ? senders.listUnknown() : []
        const sinceMs = clock.now() - dayMs
        return {
          ways: [
            presentWay('target', collector.intakeOf(id, 'target')),
            presentWay('probe', collector.intakeOf(id, 'probe')),
            presentWay('heartbeat', heartbeats.intakeOf(id)),
            ...sendingProtocols.map((protocol) => presentWay(protocol, intakeOfSenders(known, protocol))),
          ],
          refused: refusedSenders(known, unknown, sinceMs).map(presentRefused),
        }
      },
      operation('getIngestion', 'What comes into the embedded source, and who was refused why', {
        description:
          'Samples of scrapes, probes, heartbeats, remote write and OTLP, and the senders that were refused within the last day, the ' +
          'newest first. Senders without a valid token, or to an unknown heartbeat address, belong to no organization: only the ' +
          'first organization sees them.',
        200: Ingestion,
      }),
    )

function presentWay(way: (typeof ways)[number], intake: Intake): Static<typeof Ingestion>['ways'][number] {
  const { count, samplesPerSecond, series, storedMs, lastError } = intake
  return {
    way,
    count,
    samples_per_second: samplesPerSecond,
    series,
    last_stored_at: isoTimeOrNull(storedMs),
    last_error: lastError && { of: lastError.of, message: lastError.text, at: isoTime(lastError.atMs) },
  }
}

function presentRefused(one: RefusedSender): Static<typeof Ingestion>['refused'][number] {
  return {
    protocol: one.protocol,
    sends_as: one.credential,
    address: one.address,
    user_agent: one.userAgent,
    refused_requests: one.refusedRequests,
    last_refused_at: isoTime(one.refusedMs),
    last_refused_reason: one.refusedReason,
  }
}
