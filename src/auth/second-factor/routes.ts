import { Elysia, t } from 'elysia'
import { isoTimeOrNull } from '../../clock.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type GuardDeps, openToAll, signedIn } from '../../http/signed-in.ts'
import { TokenResponse } from '../accounts/model.ts'
import { getOrganization } from '../organizations/store.ts'
import { type BrowserDeps, isBrowserSession, tokenToCookie } from '../sessions/browser-session.ts'
import { endEarlierSession } from '../sessions/earlier-session.ts'
import type { Tokens } from '../sessions/tokens.ts'
import { readProof } from './challenge.ts'
import { loginWithProof } from './login.ts'
import { beginSetUp, confirmSetUp, disableSecondFactor, type FactorDeps, renewRecoveryCodes } from './second-factor.ts'
import { countRecoveryCodes, findSecondFactor } from './store.ts'

const password = t.String({ maxLength: 256, description: 'the password of the account' })
const code = t.String({ maxLength: 20, description: 'the code of six digits that the authenticator app shows' })
const proof = {
  code: t.Optional(code),
  recovery_code: t.Optional(t.String({ maxLength: 100, description: 'a recovery code, in place of the code' })),
}

const SecondStep = t.Object(
  { mfa_token: t.String({ maxLength: 200, description: 'the `mfa_token` that the login answered with' }), ...proof },
  { title: 'SecondStep', examples: [{ mfa_token: 'Qm4x…', code: '492039' }] },
)

const SetUpBeginning = t.Object({ password }, { title: 'SetUpBeginning', examples: [{ password: 'correct horse' }] })

const SetUpConfirmation = t.Object({ code }, { title: 'SetUpConfirmation', examples: [{ code: '492039' }] })

const FactorChange = t.Object(
  { password, ...proof },
  { title: 'FactorChange', examples: [{ password: 'correct horse', code: '492039' }] },
)

const SecondFactor = t.Object(
  {
    is_set_up: t.Boolean({ description: 'true: a sign-in with the password asks for a code' }),
    set_up_at: t.Nullable(t.String()),
    recovery_codes_left: t.Number({ description: 'how many recovery codes are not used yet' }),
    is_required: t.Boolean({ description: 'true: the organization requires a second factor' }),
  },
  { title: 'SecondFactor' },
)

const BegunSetUp = t.Object(
  {
    secret: t.String({ description: 'the secret in base32, to be typed into an app' }),
    otpauth_url: t.String({ description: 'the address that an app reads from a QR code' }),
  },
  { title: 'BegunSetUp' },
)

const RecoveryCodes = t.Object({ recovery_codes: t.Array(t.String()) }, { title: 'RecoveryCodes' })

type Deps = FactorDeps & BrowserDeps & Parameters<typeof loginWithProof>[0] & { guard: GuardDeps; tokens: Tokens }

/** Second step of a sign-in, and the second factor of the caller's account. */
export const secondFactorRoutes = (deps: Deps) =>
  new Elysia({ prefix: '/auth', tags: ['Accounts'] }).use(signInRoutes(deps)).use(ownFactorRoutes(deps))

const signInRoutes = (deps: Deps) =>
  new Elysia({ detail: { security: [] } }).use(openToAll(deps.guard)).post(
    '/login/mfa',
    async ({ body, origin, request, set }) => {
      const tokens = await loginWithProof(deps, body.mfa_token, readProof(body), origin)
      await endEarlierSession(deps, request, origin)
      return isBrowserSession(request) ? tokenToCookie(deps, set, tokens) : tokens
    },
    operation('loginWithSecondFactor', 'Sign in, second step: a code', {
      description:
        'Opens the session of a login that was answered with `mfa_required`. Takes `code`, or `recovery_code` in its place. The ' +
        '`mfa_token` is good for five minutes, until it has opened a session or got five wrong codes; a code and a recovery code ' +
        'are good once. Wrong codes are limited as wrong passwords are. `code` of a 401 is `mfa_code_wrong`, with ' +
        '`attempts_left`, or `mfa_token_invalid`: begin with the password again.',
      body: SecondStep,
      200: TokenResponse,
      401: 'The code is wrong or was used, or the `mfa_token` is not valid any more',
      429: 'Too many attempts or requests',
    }),
  )

/** Routes that also accept sessions which may do nothing else before the second factor is set up. */
const ownFactorRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/second-factor' })
    .use(
      signedIn({ ...guard, tokens: { identify: deps.tokens.identifyRestricted }, writes: 'viewer', bySession: true }),
    )
    .get(
      '/',
      async ({ caller }) => {
        const factor = await findSecondFactor(deps.db.read, caller.userId)
        const organization = await getOrganization(deps.db.read, caller.organizationId)
        return {
          is_set_up: factor !== undefined,
          set_up_at: isoTimeOrNull(factor?.confirmed_at ?? null),
          recovery_codes_left: await countRecoveryCodes(deps.db.read, caller.userId),
          is_required: organization.second_factor_required === 1,
        }
      },
      operation('getSecondFactor', 'The second factor of the caller', {
        description: 'Whether there is one, since when, and how many recovery codes are left. Never the secret.',
        200: SecondFactor,
      }),
    )
    .post(
      '/',
      async ({ caller, body }) => beginSetUp(deps, caller, body.password),
      operation('beginSecondFactor', 'Begin to set up a second factor', {
        description:
          'Returns a new secret for an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 seconds). It counts once ' +
          '`/auth/second-factor/confirm` has got a first code; until then another beginning replaces it. Takes the access ' +
          'token of a session only.',
        body: SetUpBeginning,
        200: BegunSetUp,
        401: 'No valid token, or the password is wrong',
        403: 'Requires the access token of a session',
        409: 'There is a second factor, or the account has no password',
        429: 'Too many attempts or requests',
      }),
    )
    .post(
      '/confirm',
      async ({ caller, body }) => ({ recovery_codes: await confirmSetUp(deps, caller, body.code) }),
      operation('confirmSecondFactor', 'Finish the set-up with a first code', {
        description:
          'From then on a sign-in with the password asks for a code. All other sessions of the account end. Returns ten recovery ' +
          'codes, this once; each replaces a code once. Takes the access token of a session only.',
        body: SetUpConfirmation,
        200: RecoveryCodes,
        401: 'No valid token, or the code is wrong',
        403: 'Requires the access token of a session',
        409: 'No set-up has begun',
      }),
    )
    .post(
      '/recovery-codes',
      async ({ caller, body: { password, ...sent } }) => ({
        recovery_codes: await renewRecoveryCodes(deps, caller, { password, proof: readProof(sent) }),
      }),
      operation('createRecoveryCodes', 'Replace the recovery codes', {
        description:
          'Returns ten new ones, this once; the earlier ones are refused from then on. Takes the password and a code, and the ' +
          'access token of a session only.',
        body: FactorChange,
        200: RecoveryCodes,
        401: 'No valid token, or the password or the code is wrong',
        403: 'Requires the access token of a session',
        409: 'There is no second factor',
        429: 'Too many attempts or requests',
      }),
    )
    .post(
      '/disable',
      async ({ caller, body: { password, ...sent } }) => {
        await disableSecondFactor(deps, caller, { password, proof: readProof(sent) })
        return { message: 'Second factor disabled; signing in takes the password alone' }
      },
      operation('disableSecondFactor', 'Remove the second factor of the caller', {
        description:
          'With its recovery codes. Takes the password and a code or recovery code, and the access token of a session only. ' +
          'Where the organization requires a second factor, the next one has to be set up at once.',
        body: FactorChange,
        200: Message,
        401: 'No valid token, or the password or the code is wrong',
        403: 'Requires the access token of a session',
        409: 'There is no second factor',
        429: 'Too many attempts or requests',
      }),
    )
