import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export type Claims = Record<string, unknown>

/** What a provider answers in place of the truth. */
export type Tampering = {
  /** Changes the discovery document. */
  discovery?: (metadata: Claims) => Claims
  /** Changes the claims of the ID token, which is signed again. */
  claims?: (claims: Claims) => Claims
  /** Replaces the signed ID token. */
  idToken?: (token: string) => string
}

type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
type GrantContext = {
  oidc: { provider: { Grant: new (of: object) => Grant }; session: { accountId: string } }
}

const clientSecret = 'a secret of the provider'

/** Key of every provider until it replaces it: to make one takes longer than all else of a provider. */
let firstKey: ReturnType<typeof newKey> | undefined

/** `certificate`: the provider is served over TLS; its browser accepts every certificate. */
export type ProviderOptions = { keepsIdTokenShort?: boolean; certificate?: { key: string; cert: string } }

/** An OpenID provider on 127.0.0.1 with one person, who signs in without being asked. */
export class TestProvider {
  readonly issuer: string
  /** The person, by claims. */
  person: Claims = {}
  tampering: Tampering = {}
  isAway = false
  /** Paths that were answered. */
  readonly asked: string[] = []
  readonly #server: ReturnType<typeof createServer>
  #key = (firstKey ??= newKey())
  #provider: Provider | undefined
  #redirectUri = ''
  readonly #keepsIdTokenShort: boolean

  private constructor(server: ReturnType<typeof createServer>, { keepsIdTokenShort, certificate }: ProviderOptions) {
    this.#server = server
    this.#keepsIdTokenShort = keepsIdTokenShort ?? false
    this.issuer = `${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => void this.#answer(request, response))
  }

  static async start(options: ProviderOptions = {}): Promise<TestProvider> {
    const server = options.certificate ? createTlsServer(options.certificate) : createServer()
    server.on('tlsClientError', () => {}) // a client that does not know the authority
    const { promise, resolve } = Promise.withResolvers<void>()
    server.listen(0, '127.0.0.1', resolve)
    await promise
    return new TestProvider(server, options)
  }

  /** Settings of nines for this provider. */
  get env(): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: 'nines',
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_NAME: 'Example ID',
      OIDC_SCOPES: 'openid profile email groups',
      OIDC_ROLE_MAP: 'sre-leads=admin,sre=member,everyone=viewer',
    }
  }

  /** Registers nines. */
  serve(base: string): void {
    this.#redirectUri = `${base}/auth/oidc/callback`
    this.#open()
  }

  /** Replaces the signing key. */
  rotateKey(): void {
    this.#key = newKey()
    this.#open()
  }

  #open(): void {
    const { origin } = new URL(this.#redirectUri)
    const provider = new Provider(this.issuer, {
      adapter: () => new Storage(),
      clients: [
        {
          client_id: 'nines',
          client_secret: clientSecret,
          redirect_uris: [this.#redirectUri],
          post_logout_redirect_uris: [`${origin}/login`],
        },
      ],
      jwks: { keys: [this.#key] },
      cookies: { keys: ['a key of the test'] },
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name'],
        groups: ['groups', 'realm_access'],
      },
      conformIdTokenClaims: this.#keepsIdTokenShort,
      features: { devInteractions: { enabled: false } },
      interactions: { url: () => '/interaction' },
      ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 60, Session: 60, Grant: 60 },
      pkce: { required: () => true },
      findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => this.person }),
      loadExistingGrant: async (context: GrantContext) => {
        const { provider: own, session } = context.oidc
        const grant = new own.Grant({ clientId: 'nines', accountId: session.accountId })
        grant.addOIDCScope('openid profile email groups')
        await grant.save()
        return grant
      },
    })
    provider.use(async (context, next) => {
      await next()
      const { discovery, claims, idToken } = this.tampering
      const body = context.body as Claims
      if (context.path.startsWith('/.well-known/') && discovery) context.body = discovery(structuredClone(body))
      if (context.path !== '/token' || typeof body?.['id_token'] !== 'string') return
      const token = body['id_token']
      if (claims) context.body = { ...body, id_token: this.#signed(claims(claimsOf(token))) }
      if (idToken) context.body = { ...body, id_token: idToken(token) }
    })
    this.#provider = provider
  }

  #signed(claims: Claims): string {
    const text = `${encode({ alg: 'RS256', kid: this.#key.kid, typ: 'JWT' })}.${encode(claims)}`
    const key = createPrivateKey({ key: this.#key, format: 'jwk' })
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? ''
    if (this.isAway || !this.#provider) return void response.destroy()
    this.asked.push(path)
    if (path !== '/interaction') return void this.#provider.callback()(request, response)
    const login = { accountId: String(this.person['sub']) }
    await this.#provider.interactionFinished(request, response, { login })
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

type Stored = { uid?: string; consumed?: number }

/** Storage of one model of the provider. Its own one warns at each start that it is not for production. */
class Storage {
  readonly #byId = new Map<string, Stored>()

  async upsert(id: string, payload: Stored) {
    this.#byId.set(id, payload)
  }
  async find(id: string) {
    return this.#byId.get(id)
  }
  async findByUid(uid: string) {
    return [...this.#byId.values()].find((one) => one.uid === uid)
  }
  async consume(id: string) {
    this.#byId.set(id, { ...this.#byId.get(id), consumed: 1 })
  }
  async destroy(id: string) {
    this.#byId.delete(id)
  }
  async revokeByGrantId() {
    this.#byId.clear()
  }
}

/** Header with the algorithm `none`, the same claims, and no signature. */
export function unsigned(token: string): string {
  return `${encode({ alg: 'none' })}.${token.split('.')[1]}.`
}

function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function newKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid: crypto.randomUUID(), alg: 'RS256', use: 'sig' }
}

export const ada = {
  sub: 'ada-at-the-provider',
  email: 'ada@example.com',
  email_verified: true,
  name: 'Ada Lovelace',
  groups: ['sre-leads'],
}

/** Answer of nines to a browser. */
export type Page = { status: number; text: string; location: string; cookies: string[] }

/** Browser without a page, which keeps cookies. */
export type OidcBrowser = {
  /** Goes to the provider and back; returns the address at nines that it sends the browser to. */
  toCallback(next?: string): Promise<URL>
  /** Opens an address of nines in the browser, whose cookies stay. */
  open(url: string | URL): Promise<Page>
  /** Signs in as this person; returns the page that nines answers with in the end. */
  signIn(person: Claims): Promise<Page>
  /** Takes the access token by the cookie of the session, as the page does. */
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer is assessed by what a test expects of it
  refresh(): Promise<{ status: number; body: any }>
  /** Signs in by password, as the page does. */
  logIn(email: string, password: string): Promise<Response>
  /** Empties the browser's cookies. */
  forget(): void
}

/** Opens a browser for nines at `base`. */
export function browserOf(base: string, provider: TestProvider): OidcBrowser {
  const jars = new Map<string, Map<string, string>>()

  async function get(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const headers = { ...init.headers, cookie }
    const response = await fetch(url, { redirect: 'manual', tls: { rejectUnauthorized: false }, ...init, headers })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      jar.set(name, value)
    }
    return response
  }

  const open: OidcBrowser['open'] = async (url) => {
    const response = await get(url)
    const { status, headers } = response
    const text = await response.text()
    return { status, text, location: headers.get('location') ?? '', cookies: headers.getSetCookie() }
  }

  const toCallback: OidcBrowser['toCallback'] = async (next = '/slos/new') => {
    let address = new URL(`${base}/auth/oidc/start?next=${encodeURIComponent(next)}`)
    do {
      const response = await get(address)
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${address} answered ${response.status}: ${await response.text()}`)
      await response.arrayBuffer()
      address = new URL(location, address)
    } while (address.origin !== base)
    return address
  }

  const post = async (path: string, body: object) =>
    get(`${base}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-nines-session': 'cookie' },
      body: JSON.stringify(body),
    })

  return {
    toCallback,
    open,
    async signIn(person) {
      jars.delete(provider.issuer)
      provider.person = person
      return open(await toCallback())
    },
    async refresh() {
      const response = await post('refresh', {})
      return { status: response.status, body: await response.json() }
    },
    logIn: (email, password) => post('login', { email, password }),
    forget: () => jars.clear(),
  }
}
