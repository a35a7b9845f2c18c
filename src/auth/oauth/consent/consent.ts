import { type Clock, minuteMs } from '../../../clock.ts'
import { recordAudit } from '../../../db/audit.ts'
import type { Database } from '../../../db/open.ts'
import type { UserRow } from '../../../db/tables/tables.ts'
import { AppError } from '../../../errors.ts'
import type { Form } from '../../../http/bodies/form.ts'
import { networkOf } from '../../../http/headers/origin.ts'
import type { Origin } from '../../../origin.ts'
import { actorOf } from '../../audit/store.ts'
import { recordSuccess } from '../../sessions/login-attempt-store.ts'
import { assertPasswordsAllowed, guessPassword, type PasswordSettings, wrongPassword } from '../../sessions/sessions.ts'
import { type AuthorizationRequest, denialUrl, unusableLink } from '../authorize.ts'
import { findOAuthClient, type ClientOfOrganization } from '../clients/store.ts'
import type { FormTokens } from './form-tokens.ts'
import { withResponseParameters } from '../clients/redirect-uri.ts'
import { insertCode, mayAuthorize } from '../store.ts'
import type { Passwords } from '../../passwords/passwords.ts'
import type { Throttle } from '../../sessions/throttle.ts'
import { newOpaqueToken } from '../../sessions/tokens.ts'

type ConsentDeps = {
  db: Database
  clock: Clock
  passwords: Passwords
  throttle: Throttle
  formTokens: FormTokens
  issuer: () => string
  config: PasswordSettings
}

/** Redirect for the user, or the form again with the problem of the sign-in. */
type Decided =
  | { redirectTo: string }
  | { client: ClientOfOrganization; authRequest: AuthorizationRequest; email: string; problem: AppError }

const codeLifetimeMs = minuteMs

/** Carries out the user's decision on the consent page. Throws `invalid` for a form that is wrong or no longer valid. */
export async function decide(deps: ConsentDeps, form: Form, origin: Origin): Promise<Decided> {
  const authRequest = deps.formTokens.redeem(form.get('request') ?? '')
  if (!authRequest) throw unusableLink('This form is too old or was sent already; start again in the application')
  const client = await findOAuthClient(deps.db.read, authRequest.clientId)
  if (!client) throw unusableLink('The application is no longer registered')
  const decision = form.get('decision')
  if (decision === 'deny') return { redirectTo: denialUrl(authRequest, deps.issuer()) }
  if (decision !== 'allow') throw unusableLink('decision must be allow or deny')
  const email = (form.get('email') ?? '').trim()
  try {
    const user = await signIn(deps, email, form.get('password') ?? '', origin)
    const code = await grantCode(deps, authRequest, client, user, origin)
    const answer = { code, state: authRequest.state, iss: deps.issuer() }
    return { redirectTo: withResponseParameters(authRequest.redirectUri, answer) }
  } catch (error) {
    if (error instanceof AppError) return { client, authRequest, email, problem: error }
    throw error
  }
}

/** Checks e-mail and password as `login` does, without a session: the application gets the only token. */
async function signIn(deps: ConsentDeps, email: string, password: string, origin: Origin): Promise<UserRow> {
  assertPasswordsAllowed(deps.config)
  if (email.length > 254 || password.length > 256) throw wrongPassword() // longer than any account has
  return guessPassword(deps, { email, password, event: 'login' }, origin)
}

async function grantCode(
  { db, clock }: ConsentDeps,
  { clientId, redirectUri, codeChallenge, scopes }: AuthorizationRequest,
  { name, organization_name }: ClientOfOrganization,
  user: UserRow,
  origin: Origin,
): Promise<string> {
  const code = newOpaqueToken()
  const nowMs = clock.now()
  await db.write.transaction().execute(async (trx) => {
    if (!(await mayAuthorize(trx, clientId, user))) {
      throw new AppError('forbidden', `This application is for members of ${organization_name} only`)
    }
    await insertCode(trx, {
      hash: code.hash,
      client_id: clientId,
      user_id: user.id,
      redirect_uri: redirectUri,
      code_challenge: codeChallenge,
      scopes: scopes.join(' '),
      expires_at: nowMs + codeLifetimeMs,
      used_at: null,
    })
    await recordSuccess(trx, user, networkOf(origin.ip), nowMs)
    const details = { client_id: clientId, name, scopes }
    await recordAudit(trx, actorOf(user, origin), { event: 'login', details: { client_id: clientId } }, nowMs)
    await recordAudit(trx, actorOf(user, origin), { event: 'oauth_consent', details }, nowMs)
  })
  return code.token
}
