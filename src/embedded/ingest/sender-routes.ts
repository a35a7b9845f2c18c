import { Elysia, type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import { operation } from '../../http/openapi/operation.ts'
import { OneOf } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { sendingProtocols, type Senders, type SenderStatus } from './senders.ts'

const Sender = t.Object(
  {
    protocol: OneOf(sendingProtocols, 'how it sends'),
    sends_as: t.String({ description: 'name of its API token or application, or the e-mail address of its account' }),
    address: t.String({ description: 'IP address that it sends from' }),
    user_agent: t.String(),
    first_at: t.String({ description: 'time of its first request since nines started' }),
    last_stored_at: t.Nullable(
      t.String({ description: 'time of its last request with samples that were stored; null: there was none' }),
    ),
    samples: t.Number({ description: 'the number of samples stored since nines started' }),
    samples_per_second: t.Number({
      description: 'the number of samples stored per second, mean of the last 5 to 10 minutes',
    }),
    series: t.Number({ description: 'the number of series with samples from it in the last 5 to 10 minutes' }),
    refused_requests: t.Number({
      description: 'the number of requests since nines started that were refused, in part or as a whole',
    }),
    last_refused_at: t.Nullable(t.String({ description: 'null: no request was refused' })),
    last_refused_reason: t.Nullable(
      t.String({ description: 'reason of the last refusal, as in the answer that the sender got' }),
    ),
  },
  { title: 'Sender' },
)
const SenderList = t.Object({ senders: t.Array(Sender), total: t.Number() })

/** `/embedded/senders`: senders of samples to the embedded source. */
export const senderRoutes = ({ guard, senders }: { guard: GuardDeps; senders: Pick<Senders, 'list'> }) =>
  new Elysia({ prefix: '/embedded/senders', tags: ['Embedded source'] })
    .use(signedIn({ ...guard, writes: 'admin' }))
    .get(
      '/',
      ({ caller }) => {
        const all = senders.list(caller.organizationId).map(presentSender)
        return { senders: all, total: all.length }
      },
      operation('listSenders', 'List the senders of samples, with refused requests', {
        description:
          'Each combination of credential and IP address that sent samples since nines started, by the time of the last request, the ' +
          'latest first; at most 100. A request without a valid token belongs to no organization, and is only in the log.',
        200: SenderList,
      }),
    )

function presentSender(one: SenderStatus): Static<typeof Sender> {
  return {
    protocol: one.protocol,
    sends_as: one.credential,
    address: one.address,
    user_agent: one.userAgent,
    first_at: isoTime(one.firstMs),
    last_stored_at: isoTimeOrNull(one.storedMs),
    samples: one.samples,
    samples_per_second: one.samplesPerSecond,
    series: one.series,
    refused_requests: one.refusedRequests,
    last_refused_at: isoTimeOrNull(one.refusedMs),
    last_refused_reason: one.refusedReason,
  }
}
