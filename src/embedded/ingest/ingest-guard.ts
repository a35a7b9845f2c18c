import { AppError } from '../../errors.ts'
import type { BodyBounds } from '../../http/bodies/body.ts'
import { type Admission, type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { alsoBasic } from '../../http/token-as-password.ts'
import { admissionOf, type IngestLimits } from './ingest-limits.ts'
import { toSender } from './sample-requests.ts'
import type { Senders, SendingProtocol } from './senders.ts'

export type IngestGuardDeps = {
  guard: GuardDeps
  ingestLimits: IngestLimits
  senders: Pick<Senders, 'of' | 'refusedUnknown'>
}

/** Reads the body of a request. Throws if it is refused. */
type Receive = (organizationId: number, request: Request, bounds: BodyBounds) => Promise<unknown>

/** Guard of a route to which samples are sent by `protocol`. Admits administrators, and API tokens with the scope `ingest`. */
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
    admission: countingRefusals(admissionOf(ingestLimits), senders, protocol),
    readBody: (request, bounds, caller) =>
      receive(caller.organizationId, request, bounds).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        const answer = toSender(error)
        senders.of(caller, protocol).refused(answer)
        throw answer
      }),
    checkRequest: () => {}, // like Prometheus, ignore unknown parameters
  })

/** The same limits. Also counts refused requests for their senders, and requests without a valid token. */
function countingRefusals(
  limits: Admission,
  senders: IngestGuardDeps['senders'],
  protocol: SendingProtocol,
): Admission {
  return {
    before: limits.before,
    unknown(origin) {
      senders.refusedUnknown(origin, protocol)
      limits.unknown(origin)
    },
    known(caller) {
      try {
        limits.known(caller)
      } catch (error) {
        if (error instanceof AppError) senders.of(caller, protocol).refused(error)
        throw error
      }
    },
  }
}
