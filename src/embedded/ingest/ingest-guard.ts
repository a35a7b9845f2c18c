import { AppError } from '../../errors.ts'
import type { BodyBounds } from '../../http/bodies/body.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { alsoBasic } from '../../http/token-as-password.ts'
import { admissionOf, type IngestLimits } from './ingest-limits.ts'
import { toSender } from './sample-requests.ts'
import type { Senders, SendingProtocol } from './senders.ts'

export type IngestGuardDeps = { guard: GuardDeps; ingestLimits: IngestLimits; senders: Pick<Senders, 'of'> }

/** Reads the body of a request. Throws if it is refused. */
type Receive = (organizationId: number, request: Request, bounds: BodyBounds) => Promise<unknown>

/** Guard of a route that samples are sent to in this format: by administrators, and API tokens with the scope `ingest`. */
export const ingestGuard = (
  { guard, ingestLimits, senders }: IngestGuardDeps,
  protocol: SendingProtocol,
  receive: Receive,
) =>
  signedIn({
    ...guard,
    tokens: alsoBasic(guard.tokens),
    scope: 'ingest',
    writes: 'admin',
    admission: admissionOf(ingestLimits),
    readBody: (request, bounds, caller) =>
      receive(caller.organizationId, request, bounds).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        const answer = toSender(error)
        senders.of(caller, protocol).refused(answer)
        throw answer
      }),
    checkRequest: () => {}, // like Prometheus, ignore unknown parameters
  })
