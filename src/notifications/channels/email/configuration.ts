import { readAll } from '../../../errors.ts'
import { isMailAddress } from '../../../mail.ts'
import type { ConfigurationInput } from '../channel.ts'
import { type ConfigurationOf, singleLine, oneOf, type FieldReader, invalidField } from '../configuration.ts'
import { email as schema } from '../schemas/email-and-webhook.ts'

/**
 * `to`: addresses, separated by commas; it may be missing where there are `recipients`. `smtp_server`: `host`, `host:port`,
 * `smtp://…` or `smtps://…`; absent: the instance's mail server.
 */
export type EmailConfiguration = Partial<ConfigurationOf<typeof schema>>

/** Transport settings for a channel's own mail server; `host` is a name or an IP address. */
export type OwnServer = {
  host: string
  port: number
  secure: boolean
  requireTLS: boolean
  ignoreTLS: boolean
  auth?: { user: string; pass: string }
}

type Security = keyof typeof schema.smtp_security.choices

const ports: Record<Security, number> = { starttls: 587, tls: 465, none: 25 }
const maxRecipients = schema.recipients.maxEntries

export function readEmail(input: ConfigurationInput): EmailConfiguration {
  const [[to, recipients], from, server] = readAll(
    () => readRecipients(input),
    () => readFrom(input),
    () => readServer(input),
  )
  const configuration = {
    ...(to && { to: to.join(', ') }),
    ...(recipients && { recipients }),
    ...(from && { from }),
    ...server,
  }
  if (recipientsOf(configuration).length > maxRecipients) {
    throw invalidField(recipients ? 'recipients' : 'to', `must have at most ${maxRecipients} addresses`)
  }
  return configuration
}

function readRecipients(input: ConfigurationInput) {
  const read = readAll(
    () => addressList(input, 'to'),
    () => addressArray(input, 'recipients'),
  )
  if (!read.some(Boolean)) throw invalidField('to', schema.to.requirement)
  return read
}

function readFrom(input: ConfigurationInput): string | undefined {
  const from = singleLine(schema.from.max)(input, 'from')
  if (from !== undefined && !isMailAddress(from)) throw invalidField('from', 'must be an e-mail address')
  return from
}

/** Recipients of a channel, without duplicates. */
export function recipientsOf({ to, recipients = [] }: EmailConfiguration): string[] {
  return [...new Set([...(to?.split(', ') ?? []), ...recipients])]
}

/** Settings of the channel's own mail server; null: it has none. */
export function ownServerOf(configuration: EmailConfiguration): OwnServer | null {
  const { smtp_server, smtp_username: user, smtp_password: pass } = configuration
  if (smtp_server === undefined) return null
  const { hostname, port } = serverUrl(smtp_server)
  const security = securityOf(configuration)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? ports[security] : Number(port),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
  }
}

type Server = Pick<EmailConfiguration, 'smtp_server' | 'smtp_username' | 'smtp_password' | 'smtp_security'>

/** Reads the keys of a mail server. User name and password of its URL become separate keys, so that the URL is no secret. */
function readServer(input: ConfigurationInput): Server {
  const written = singleLine(schema.smtp_server.max)(input, 'smtp_server')
  const url = written === undefined ? null : serverUrl(written)
  const withCredentials = url && url.username !== '' ? { ...input, ...credentialsOf(url) } : input
  const user = singleLine(schema.smtp_username.max)(withCredentials, 'smtp_username')
  const pass = password(withCredentials, 'smtp_password')
  const security = oneOf(schema.smtp_security.choices)(withCredentials, 'smtp_security')
  if (!url || written === undefined) {
    if (user ?? pass ?? security) throw invalidField('smtp_server', 'is required with the other smtp_… fields')
    return {}
  }
  if (user !== undefined && pass === undefined) throw invalidField('smtp_password', 'is required with smtp_username')
  if (user === undefined && pass !== undefined) throw invalidField('smtp_username', 'is required with smtp_password')
  const server = {
    smtp_server: `${written.includes('://') ? `${url.protocol}//` : ''}${url.host.toLowerCase()}`,
    ...(user && { smtp_username: user }),
    ...(pass && { smtp_password: pass }),
    ...(security && { smtp_security: security }),
  }
  if (url.protocol === 'smtps:' && securityOf(server) !== 'tls')
    throw invalidField('smtp_security', 'must be tls for smtps://')
  if (pass !== undefined && security === 'none') {
    throw invalidField('smtp_security', 'must be starttls or tls, as a password is not sent in the clear')
  }
  return server
}

function securityOf({ smtp_server, smtp_security }: Server): Security {
  return smtp_security ?? (smtp_server?.startsWith('smtps:') ? 'tls' : 'starttls')
}

/** Parses a mail server. The `invalid` error does not repeat the input, which may contain a password. */
function serverUrl(written: string): URL {
  const url = URL.parse(written.includes('://') ? written : `smtp://${written}`)
  const isGood =
    url !== null &&
    /^smtps?:$/.test(url.protocol) &&
    (hostName.test(url.hostname) || /^\[[\da-f:.]+\]$/i.test(url.hostname)) &&
    url.port !== '0' &&
    /^\/?$/.test(url.pathname + url.search + url.hash)
  if (!isGood)
    throw invalidField('smtp_server', 'must be host, host:port, smtp://[user:password@]host[:port] or smtps://…')
  return url
}

function credentialsOf({ username, password: pass }: URL): ConfigurationInput {
  try {
    return { smtp_username: decodeURIComponent(username), smtp_password: decodeURIComponent(pass) }
  } catch {
    throw invalidField('smtp_server', 'must have % in user name and password written as %25')
  }
}

const hostName = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i

/** Reads a password. Unlike other lines, it may begin and end with spaces. */
const password: FieldReader<string> = (input, key) => {
  const value = input[key]
  if (singleLine()(input, key) === undefined || typeof value !== 'string') return undefined
  if (/\p{Cc}/u.test(value)) throw invalidField(key, 'must be 1 to 500 characters, no control characters')
  return value
}

const addressList: FieldReader<string[]> = (input, key) => {
  const addresses = singleLine(maxRecipients * 260)(input, key)
    ?.split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
  if (addresses && (addresses.length === 0 || !addresses.every(isMailAddress))) {
    throw invalidField(key, 'must be an e-mail address, or several separated by commas')
  }
  return addresses
}

const addressArray: FieldReader<string[]> = (input, key) => {
  const value = input[key] ?? undefined
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined
  const addresses = Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? one.trim() : '')) : ['']
  if (!addresses.every(isMailAddress)) throw invalidField(key, 'must be a list of e-mail addresses')
  return addresses
}
