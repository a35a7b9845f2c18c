import { type Clock, minuteMs } from '../../../clock.ts'
import { recordAudit } from '../../../db/audit.ts'
import type { Database } from '../../../db/open.ts'
import type { UserRow } from '../../../db/tables/tables.ts'
import { AppError } from '../../../errors.ts'
import type { Form } from '../../../http/bodies/form.ts'
import { networkOf } from '../../../http/headers/origin.ts'
import type { Origin } from '../../../origin.ts'
import { actorOf } from '../../audit/store.ts'
import { isKnownOrigin, recordSuccess } from '../../sessions/login-attempt-store.ts'
import { mailNewDevice } from '../../sessions/session-mails.ts'
import type { Seal } from '../../../db/sealing/seal.ts'
import { getOrganization } from '../../organizations/store.ts'
import { findChallenged, insertChallenge, outdated, type Proof } from '../../second-factor/challenge.ts'
import { type FactorMailDeps, mailChange } from '../../second-factor/factor-mail.ts'
import { passChallenge } from '../../second-factor/login.ts'
import { findSecondFactor } from '../../second-factor/store.ts'
import {
  assertPasswordsAllowed,
  guessPassword,
  type PasswordSettings,
  type SessionSettings,
  wrongPassword,
} from '../../sessions/sessions.ts'
import { type AuthorizationRequest, denialUrl, unusableLink } from '../authorize.ts'
import { findOAuthClient, type ClientOfOrganization } from '../clients/store.ts'
import type { FormTokens } from './form-tokens.ts'
import { withResponseParameters } from '../clients/redirect-uri.ts'
import { insertCode, mayAuthorize } from '../store.ts'
import type { Passwords } from '../../passwords/passwords.ts'
import type { Throttle } from '../../sessions/throttle.ts'
import { newOpaqueToken } from '../../sessions/tokens.ts'

type ConsentDeps = FactorMailDeps & {
  seal: Seal
  db: Database
  clock: Clock
  passwords: Passwords
  throttle: Throttle
  formTokens: FormTokens
  issuer: () => string
  config: PasswordSettings & Pick<SessionSettings, 'newDeviceMail'>
}

/** The consent form again: with the problem of the sign-in, or for the second factor (`mfaToken`). */
type FormAgain = {
  client: ClientOfOrganization
  authRequest: AuthorizationRequest
  email: string
  problem?: AppError
  mfaToken?: string
}
/** Redirect for the user, or the form again. */
type Decided = { redirectTo: string } | FormAgain

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
  const mfaToken = form.get('mfa_token')
  try {
    const granting = { authRequest, client, origin }
    const granted =
      mfaToken === undefined
        ? await grantCode(deps, granting, await signIn(deps, email, form.get('password') ?? '', origin))
        : await grantWithProof(deps, granting, mfaToken, proofIn(form.get('code') ?? ''))
    if ('mfaToken' in granted) return { client, authRequest, email, mfaToken: granted.mfaToken }
    const { code } = granted
    const answer = { code, state: authRequest.state, iss: deps.issuer() }
    return { redirectTo: withResponseParameters(authRequest.redirectUri, answer) }
  } catch (error) {
    if (error instanceof AppError) {
      const mayRetryCode = mfaToken !== undefined && !endsSecondStep(error)
      return { client, authRequest, email, problem: error, ...(mayRetryCode && { mfaToken }) }
    }
    throw error
  }
}

/** Checks e-mail and password as `login` does, without a session: the application gets the only token. */
async function signIn(deps: ConsentDeps, email: string, password: string, origin: Origin): Promise<UserRow> {
  assertPasswordsAllowed(deps.config)
  if (email.length > 254 || password.length > 256) throw wrongPassword() // longer than any account has
  return guessPassword(deps, { email, password, event: 'login' }, origin)
}

/** True if no further code is accepted, so that the user has to enter the password again. */
function endsSecondStep({ body }: AppError): boolean {
  return body['code'] === 'mfa_token_invalid' || body['attempts_left'] === 0
}

/** Reads the field for the second factor: six digits are a code of the authenticator app, other text is a recovery code. */
function proofIn(text: string): Proof {
  const code = text.replaceAll(/\s/g, '')
  return /^\d{6}$/.test(code) ? { code } : { recoveryCode: text.slice(0, 100) }
}

type Granting = { authRequest: AuthorizationRequest; client: ClientOfOrganization; origin: Origin }
type SecondStep = { token: string; proof: Proof }

/** Second step: issues an authorization code if the proof is right. Throws as `loginWithProof` does. */
async function grantWithProof(deps: ConsentDeps, granting: Granting, token: string, proof: Proof) {
  assertPasswordsAllowed(deps.config)
  const user = await findChallenged(deps.db.read, token, deps.clock.now())
  if (!user) throw outdated()
  const guesser = { emailKey: user.email_key, network: networkOf(granting.origin.ip) }
  const granted = await deps.throttle.guess(guesser, () => grantCode(deps, granting, user, { token, proof }))
  if ('recoveryCode' in proof) mailChange(deps, user, 'recovery code used')
  return granted
}

/**
 * Issues an authorization code to a user whose password was right. A user with a second factor gets the token of the second step
 * instead, unless `secondStep` proves it.
 */
async function grantCode(
  deps: ConsentDeps,
  { authRequest, client, origin }: Granting,
  user: UserRow,
  secondStep?: SecondStep,
): Promise<{ code: string } | { mfaToken: string }> {
  const { clientId, redirectUri, codeChallenge, scopes } = authRequest
  const { name, organization_name } = client
  const { db, clock, seal } = deps
  const code = newOpaqueToken()
  const nowMs = clock.now()
  const outcome = await db.write.transaction().execute(async (trx) => {
    if (!(await mayAuthorize(trx, clientId, user))) {
      throw new AppError('forbidden', `This application is for members of ${organization_name} only`)
    }
    const isKnown = await isKnownOrigin(trx, user.id, origin, nowMs)
    if (secondStep) {
      const attempt = { ...secondStep, origin, user, nowMs, details: { client_id: clientId } }
      const refusal = await passChallenge(trx, { seal }, attempt)
      if (refusal) return refusal
    } else {
      if (await findSecondFactor(trx, user.id)) return { mfaToken: (await insertChallenge(trx, user, nowMs)).token }
      if ((await getOrganization(trx, user.organization_id)).second_factor_required === 1) throw secondFactorRequired()
      await recordSuccess(trx, user, origin, nowMs)
      await recordAudit(trx, actorOf(user, origin), { event: 'login', details: { client_id: clientId } }, nowMs)
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
    const details = { client_id: clientId, name, scopes }
    await recordAudit(trx, actorOf(user, origin), { event: 'oauth_consent', details }, nowMs)
    return { code: code.token, isKnown }
  })
  if (outcome instanceof AppError) throw outcome
  if ('mfaToken' in outcome) return outcome
  if (!outcome.isKnown && deps.config.newDeviceMail === 'true') mailNewDevice(deps, user, origin, nowMs)
  return { code: outcome.code }
}

function secondFactorRequired(): AppError {
  return new AppError('forbidden', 'Set up a second factor first: your organization requires one', {
    details: 'sign in at nines, and then start again in the application',
    body: { code: 'mfa_setup_required' },
  })
}
