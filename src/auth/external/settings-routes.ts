import { Elysia, t } from 'elysia'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { operation } from '../../http/openapi/operation.ts'
import { type Caller, type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { Oidc } from './oidc.ts'
import { callbackPath } from './callback-path.ts'

type Deps = {
  config: Config
  oidc: Pick<Oidc, 'check'> | null
  publicUrl: () => string
  /** True for the instance's first organization, whose administrators run the instance. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

const Provider = t.Object({
  issuer: t.String(),
  client_id: t.String(),
  name: t.String(),
  scopes: t.String(),
  role_claim: t.String(),
  role_map: t.Array(t.String(), { description: 'entries GROUP=ROLE; empty: roles are set in nines' }),
  create_users: t.Boolean(),
  redirect_uri: t.String({ description: 'to register at the provider' }),
  logout_redirect_uri: t.String({ description: 'to register as well, for signing out' }),
})

const Proxy = t.Object({
  headers: t.Array(t.String(), { description: 'headers that are read; the first names the user' }),
  addresses: t.Array(t.String(), { description: 'addresses from which the headers are trusted' }),
})

const SignInSettings = t.Object(
  {
    passwords: t.Boolean({ description: 'people may sign in with a password; false with OIDC_ONLY' }),
    provider: t.Nullable(Provider, { description: 'null: no provider is set up' }),
    proxy: t.Nullable(Proxy, { description: 'null: no header is trusted' }),
  },
  { title: 'SignInSettings' },
)

const SignInTest = t.Object(
  {
    problem: t.Nullable(t.String(), { description: 'null: the provider answers, and its issuer is OIDC_ISSUER' }),
    endpoints: t.Record(t.String(), t.String(), { description: 'addresses in its discovery document' }),
  },
  { title: 'SignInTest' },
)

/** Routes of `/organization/sign-in`: how people sign in to the instance, for administrators of its first organization. */
export const signInSettingsRoutes = ({ config, oidc, publicUrl, isFirst, guard }: Deps) => {
  const assertFirst = async ({ organizationId }: Caller) => {
    if (await isFirst(organizationId)) return
    const details = 'must be an administrator of the first organization: these are settings of the instance'
    throw new AppError('forbidden', 'Insufficient permissions', { details })
  }
  return new Elysia({ prefix: '/organization/sign-in', tags: ['Organization'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin', authorizeWrite: assertFirst }))
    .get(
      '/',
      async ({ caller }) => {
        await assertFirst(caller)
        return presentSettings(config, publicUrl())
      },
      operation('getSignInSettings', 'How people sign in', {
        description:
          'For administrators of the first organization. The settings are those of the environment, without secrets.',
        200: SignInSettings,
      }),
    )
    .post(
      '/test',
      async () => (oidc ? oidc.check() : { problem: 'OIDC_ISSUER is not set', endpoints: {} }),
      operation('testSignIn', 'Ask the OpenID provider for its discovery document and its keys', {
        description: 'For administrators of the first organization. Signs nobody in.',
        200: SignInTest,
      }),
    )
}

function presentSettings(config: Config, publicUrl: string) {
  const { oidcIssuer, oidcClientId, trustedHeaderUser, trustedHeaderEmail, trustedHeaderName, trustedHeaderGroups } =
    config
  const headers = [trustedHeaderUser, trustedHeaderEmail, trustedHeaderName, trustedHeaderGroups]
  return {
    passwords: config.oidcOnly === 'false',
    provider:
      oidcIssuer === null
        ? null
        : {
            issuer: oidcIssuer,
            client_id: oidcClientId ?? '',
            name: config.oidcName,
            scopes: config.oidcScopes,
            role_claim: config.oidcRoleClaim,
            role_map: config.oidcRoleMap,
            create_users: config.oidcCreateUsers === 'true',
            redirect_uri: `${publicUrl}${callbackPath}`,
            logout_redirect_uri: `${publicUrl}/login`,
          },
    proxy:
      trustedHeaderUser === null
        ? null
        : { headers: headers.filter((one) => one !== null), addresses: config.trustProxy },
  }
}
