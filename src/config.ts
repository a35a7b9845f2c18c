import { readFileSync } from 'node:fs'
import { bucketProblem, bucketUrl, threeCounts } from './backup-settings.ts'
import { defaultOutboundDeny, readCidr } from './cidr.ts'
import { fileMode, listenHost, listenProblem } from './listen-settings.ts'
import { logLevels } from './log.ts'
import { mailFrom, smtpUrl } from './mail-settings.ts'
import { mapQuotas, type QuotaName, quotaNames, type Quotas, settingOfQuota } from './quotas.ts'
import { headerName, roleMap, scopes } from './sign-in-settings.ts'

type Setting = { name: string; value: string; isSecret: boolean }

/** An environment variable has a value that nines cannot use; the message names the variable. */
export class ConfigError extends Error {}

/** Reads a setting, or a file that it names. Throws `ConfigError` with the message of what is thrown; `prefix`: put before it. */
export function useSetting<T>(use: () => T, prefix = ''): T {
  try {
    return use()
  } catch (error) {
    throw new ConfigError(`${prefix}${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

export type Environment = Record<string, string | undefined>
type Terminal = { isTerminal: boolean }

/** Parses the text of a setting. Throws an `Error` that states what it must be. */
type Parse<T> = (text: string) => T

/**
 * Reads a config value from the environment, and describes it for `nines config`. `names`: environment variables of each setting,
 * its name and, for a secret, the variable that names a file with it.
 */
type Entry<T> = { names: string[][]; read(source: Terminal & { env: Environment }): T; describe(value: T): Setting[] }

/**
 * Every setting, in the order in which `nines config` prints them. Names of environment variables are defined only here, and
 * for quotas in `quotas.ts`.
 */
const settings = {
  host: setting('HOST', '127.0.0.1', listenHost),
  port: setting('PORT', '8080', whole(0, 65_535)),
  dataDir: setting('DATA_DIR', './data', String),
  socketMode: setting('SOCKET_MODE', '0660', fileMode),
  tlsCert: setting('TLS_CERT', '', optional),
  tlsKey: setting('TLS_KEY', '', optional),
  httpRedirectPort: setting('HTTP_REDIRECT_PORT', '0', whole(0, 65_535)),
  jwtSecret: secret('JWT_SECRET', secretOfAtLeast(32), '(generated into DATA_DIR/jwt.secret)'),
  jwtExpirationSeconds: setting('JWT_EXPIRATION', '28800', whole(1, 31_536_000)),
  /** Counts from sign-in; refreshing a session does not extend it. */
  sessionLifetimeDays: setting('SESSION_LIFETIME_DAYS', '90', whole(1, 36_500)),
  /** Time after its last use at which a session ends; 0: disuse does not end it before its other limits. */
  sessionIdleHours: setting('SESSION_IDLE_HOURS', '0', whole(0, 720)),
  /** `true`: a sign-in from a device or network that is new to the account is mailed to its user. */
  newDeviceMail: setting('NEW_DEVICE_MAIL', 'true', oneOf('true', 'false')),
  /** Issuer of the OpenID provider, exactly as in its discovery document; `null`: nobody signs in by a provider. */
  oidcIssuer: setting('OIDC_ISSUER', '', issuer),
  oidcClientId: setting('OIDC_CLIENT_ID', '', optional),
  oidcClientSecret: secret('OIDC_CLIENT_SECRET', optional),
  oidcName: setting('OIDC_NAME', 'single sign-on', String),
  oidcScopes: setting('OIDC_SCOPES', 'openid profile email', scopes),
  /** Name or dotted path of the claim with the groups of a person. */
  oidcRoleClaim: setting('OIDC_ROLE_CLAIM', 'groups', String),
  /** `group=role`; `*` is everybody. Empty: roles are given in nines. */
  oidcRoleMap: setting('OIDC_ROLE_MAP', '', roleMap),
  oidcCreateUsers: setting('OIDC_CREATE_USERS', 'true', oneOf('true', 'false')),
  oidcOnly: setting('OIDC_ONLY', 'false', oneOf('true', 'false')),
  /** Headers in which a proxy of `TRUST_PROXY` says who is signed in; `null`: no header is read. */
  trustedHeaderUser: setting('TRUSTED_HEADER_USER', '', headerName),
  trustedHeaderEmail: setting('TRUSTED_HEADER_EMAIL', '', headerName),
  trustedHeaderName: setting('TRUSTED_HEADER_NAME', '', headerName),
  trustedHeaderGroups: setting('TRUSTED_HEADER_GROUPS', '', headerName),
  /** Sorted SHA-1 hashes of passwords that no user may have; `null`: no file. */
  breachedPasswordsFile: setting('BREACHED_PASSWORDS_FILE', '', optional),
  registration: setting('REGISTRATION', 'invite', oneOf('open', 'invite', 'closed')),
  /** `embedded`: the source inside nines. */
  sourceUrl: setting('SOURCE_URL', 'embedded', sourceUrl, { mayBeEmpty: true }),
  sourceTimeoutSeconds: setting('SOURCE_TIMEOUT', '30', whole(1, 240)),
  /** Time from which a query of a source is logged as slow. */
  slowQuerySeconds: setting('SLOW_QUERY', '5', decimal(0.001, 240)),
  /** 0: no scheduled evaluations. */
  evaluationIntervalSeconds: setting('EVALUATION_INTERVAL', '60', zeroOr(10, 3600)),
  evaluationConcurrency: setting('EVALUATION_CONCURRENCY', '8', whole(1, 1000)),
  corsOrigins: setting('CORS_ORIGINS', '', origins),
  bodyLimitBytes: setting('BODY_LIMIT', '1048576', whole(1024, 1_073_741_824)),
  /** Limits of requests that write samples: as they arrive, and uncompressed. */
  ingestBodyLimitBytes: setting('INGEST_BODY_LIMIT', '8388608', whole(65_536, 1_073_741_824)),
  ingestDecodedLimitBytes: setting('INGEST_DECODED_LIMIT', '33554432', whole(65_536, 1_073_741_824)),
  /** Attributes of an OTLP resource that become labels of its series. */
  otlpPromoteAttributes: setting('OTLP_PROMOTE_ATTRIBUTES', '', list),
  rateLimitPerIp: setting('RATE_LIMIT_PER_IP', '100', whole(0, 1_000_000_000)),
  /** 0: writes count towards the limit of reads. */
  rateLimitWritesPerIp: setting('RATE_LIMIT_WRITES_PER_IP', '0', whole(0, 1_000_000_000)),
  rateLimitGlobal: setting('RATE_LIMIT_GLOBAL', '1000', whole(0, 1_000_000_000)),
  /** Requests per minute of one sender of samples, and reports per minute to the URL of one heartbeat; 0: no limit. */
  ingestRateLimit: setting('INGEST_RATE_LIMIT', '600', whole(0, 1_000_000_000)),
  rateLimitAllow: setting('RATE_LIMIT_ALLOW', '', cidrs),
  rateLimitBlock: setting('RATE_LIMIT_BLOCK', '', cidrs),
  trustProxy: setting('TRUST_PROXY', '', cidrs),
  outboundDeny: setting('OUTBOUND_DENY', defaultOutboundDeny.join(','), cidrs),
  /** Private ranges that may be reached even with `REGISTRATION=open`. */
  outboundAllow: setting('OUTBOUND_ALLOW', '', cidrs),
  /** PEM file of certificate authorities that are trusted beside the usual ones; `null`: no file. */
  extraCaFile: setting('EXTRA_CA_FILE', '', optional),
  smtpUrl: secret('SMTP_URL', smtpUrl),
  mailFrom: setting('MAIL_FROM', 'nines@localhost', mailFrom),
  /** Mails per hour; 0: unlimited. */
  mailPerAddressHourly: setting('MAIL_PER_ADDRESS_HOURLY', '60', whole(0, 1_000_000_000)),
  mailPerOrganizationHourly: setting('MAIL_PER_ORGANIZATION_HOURLY', '600', whole(0, 1_000_000_000)),
  mailHourly: setting('MAIL_HOURLY', '5000', whole(0, 1_000_000_000)),
  /** Base URL of links in mails and notifications; `null`: the address it listens on. */
  publicUrl: setting('PUBLIC_URL', '', optionalUrl),
  notifyConcurrency: setting('NOTIFY_CONCURRENCY', '8', whole(1, 1000)),
  /** Extra concurrent deliveries, available to slow and failing receivers. */
  notifySlowConcurrency: setting('NOTIFY_SLOW_CONCURRENCY', '0', whole(0, 1000)),
  notifyRetryDelaySeconds: setting('NOTIFY_RETRY_DELAY', '5', decimal(0, 3600)),
  /** Factor by which each retry waits longer than the previous one. */
  notifyRetryFactor: setting('NOTIFY_RETRY_FACTOR', '2', decimal(1, 10)),
  notifyDedupWindowSeconds: setting('NOTIFY_DEDUP_WINDOW', '300', whole(0, 86_400)),
  retentionDays: setting('RETENTION_DAYS', '400', whole(1, 36_500)),
  samplesRetentionDays: setting('SAMPLES_RETENTION_DAYS', '100', whole(1, 36_500)),
  samplesMaxBytes: setting('SAMPLES_MAX_BYTES', '4294967296', whole(16_777_216, 1e15)),
  /** Limits of each organization. */
  quotas: {
    names: quotaNames.map((name) => [settingOfQuota(name)]),
    read: (source) => mapQuotas((name, defaultValue) => quota(name, defaultValue).read(source)),
    describe: (quotas) => quotaNames.flatMap((name) => quota(name).describe(quotas[name])),
  } satisfies Entry<Quotas>,
  /** Per organization, for ad-hoc queries of the embedded source. */
  queryCpuSecondsPerMinute: setting('QUERY_CPU_SECONDS_PER_MINUTE', '30', whole(1, 100_000)),
  /** Receiver of the samples of the embedded source; `null`: no receiver. */
  remoteWriteUrl: setting('REMOTE_WRITE_URL', '', receiverUrl),
  /** `Name: value`, one a line. */
  remoteWriteHeaders: secret('REMOTE_WRITE_HEADERS', headerLines),
  remoteWriteUsername: setting('REMOTE_WRITE_USERNAME', '', optional),
  remoteWritePassword: secret('REMOTE_WRITE_PASSWORD', optional),
  remoteWriteBearerToken: secret('REMOTE_WRITE_BEARER_TOKEN', optional),
  /** Selectors of the series to send; `null`: all. */
  remoteWriteMatch: setting('REMOTE_WRITE_MATCH', '', optional),
  metricsToken: secret('METRICS_TOKEN', optional),
  /** Called every minute while nines is ready and its evaluations are not stalled. */
  heartbeatUrl: secret('HEARTBEAT_URL', secretUrl),
  /** 0: backups may have any age. */
  backupMaxAgeHours: setting('BACKUP_MAX_AGE_HOURS', '0', whole(0, 87_600)),
  /** Times in UTC, as a cron expression; `null`: no scheduled backups. */
  backupSchedule: setting('BACKUP_SCHEDULE', '', optional),
  backupDir: setting('BACKUP_DIR', '', optional),
  /** Number of days, weeks and months whose last backup is kept. */
  backupKeep: setting('BACKUP_KEEP', '7,4,12', threeCounts),
  /** Bucket that scheduled backups are copied to, with the prefix of their names; `null`: no bucket. */
  backupS3Url: setting('BACKUP_S3_URL', '', bucketUrl),
  backupS3Region: setting('BACKUP_S3_REGION', 'us-east-1', String),
  backupS3AccessKeyId: setting('BACKUP_S3_ACCESS_KEY_ID', '', optional),
  backupS3SecretAccessKey: secret('BACKUP_S3_SECRET_ACCESS_KEY', optional),
  /** Time during which requests are still served after `/ready` reports that nines is stopping. */
  shutdownGraceSeconds: setting('SHUTDOWN_GRACE', '1', decimal(0, 300)),
  shutdownTimeoutSeconds: setting('SHUTDOWN_TIMEOUT', '30', whole(0, 3600)),
  logLevel: setting('LOG_LEVEL', 'info', oneOf(...logLevels)),
  logFormat: setting('LOG_FORMAT', ({ isTerminal }) => (isTerminal ? 'text' : 'json'), oneOf('text', 'json')),
}

/** The effective settings. Names of durations carry their unit. Meaning and defaults: docs/configuration.md. */
export type Config = { [K in keyof typeof settings]: (typeof settings)[K] extends Entry<infer T> ? T : never }

/** Reads and checks every setting once; throws `ConfigError`. */
export function readConfig(env: Environment, { isTerminal }: Terminal = { isTerminal: false }): Config {
  const source = { env, isTerminal }
  const config = Object.fromEntries(Object.entries(settings).map(([key, entry]) => [key, entry.read(source)])) as Config
  assertOneCredential(config)
  assertSignIn(config)
  const problem = listenProblem(config) ?? bucketProblem(config)
  if (problem !== null) throw new ConfigError(problem)
  return config
}

function assertSignIn({ oidcIssuer, oidcClientId, oidcOnly, trustedHeaderUser, trustProxy }: Config): void {
  if ((oidcIssuer === null) !== (oidcClientId === null)) {
    throw new ConfigError('OIDC_ISSUER and OIDC_CLIENT_ID: both must be set, or none')
  }
  if (oidcOnly === 'true' && oidcIssuer === null) {
    throw new ConfigError('OIDC_ONLY: nobody could sign in without OIDC_ISSUER')
  }
  if (trustedHeaderUser !== null && trustProxy.length === 0) {
    throw new ConfigError('TRUSTED_HEADER_USER: TRUST_PROXY must name the proxy that sends the header')
  }
}

function assertOneCredential(config: Config): void {
  const { remoteWriteUsername: username, remoteWritePassword: password, remoteWriteBearerToken: token } = config
  if (token !== null && (username ?? password) !== null) {
    throw new ConfigError('REMOTE_WRITE_BEARER_TOKEN and REMOTE_WRITE_USERNAME: only one of them may be set')
  }
  if ((username === null) !== (password === null)) {
    throw new ConfigError('REMOTE_WRITE_USERNAME and REMOTE_WRITE_PASSWORD: both must be set, or none')
  }
}

/** Environment variables of every setting: its name and, for a secret, the variable that names a file with it. */
export const settingVariables: string[][] = Object.values(settings).flatMap(({ names }: { names: string[][] }) => names)

/** Names of the settings that differ, secrets included. */
export function changedSettings(before: Config, after: Config): string[] {
  const keys = Object.keys(settings) as (keyof Config)[]
  return keys.flatMap((key) => {
    if (Bun.deepEquals(before[key], after[key])) return []
    const [describedBefore, describedAfter] = [before, after].map((config) => describe(key, config)) // of quotas, several settings
    const changed = (describedAfter ?? []).filter(
      (setting, at) => setting.isSecret || setting.value !== describedBefore?.[at]?.value,
    )
    return changed.map(({ name }) => name)
  })
}

/** The effective settings by the names of their environment variables, for `nines config`; secrets are masked. */
export function describeConfig(config: Config): Setting[] {
  const keys = Object.keys(settings) as (keyof Config)[]
  return keys.flatMap((key) => describe(key, config))
}

function describe(key: keyof Config, config: Config): Setting[] {
  return (settings[key] as Entry<unknown>).describe(config[key])
}

function setting<T extends string | number | string[] | null>(
  name: string,
  defaultValue: string | ((terminal: Terminal) => string),
  parse: Parse<T>,
  { mayBeEmpty = false } = {},
): Entry<T> {
  return {
    names: [[name]],
    read({ env, ...terminal }) {
      const text = env[name]?.trim()
      return useSetting(() => {
        if (text !== undefined && (text !== '' || mayBeEmpty)) return parse(text)
        return parse(typeof defaultValue === 'string' ? defaultValue : defaultValue(terminal))
      }, `${name}: `)
    },
    describe(value) {
      return [{ name, value: Array.isArray(value) ? value.join(',') : String(value ?? ''), isSecret: false }]
    },
  }
}

/** Setting that is also read from the file that `NAME_FILE` names. `unset`: printed if the setting has no value. */
function secret(name: string, parse: Parse<string | null>, unset = ''): Entry<string | null> {
  const { read } = setting(name, '', parse)
  return {
    names: [[name, `${name}_FILE`]],
    read: ({ env, ...terminal }) => read({ env: { ...env, [name]: textOfSecret(env, name) }, ...terminal }),
    describe: (value) => [{ name, value: value === null ? unset : '********', isSecret: true }],
  }
}

/** Text of a secret, from the environment or the file that it names. Errors repeat nothing of the secret. */
function textOfSecret(env: Environment, name: string): string | undefined {
  const path = env[`${name}_FILE`]?.trim() ?? ''
  if (path === '') return env[name]
  if ((env[name]?.trim() ?? '') !== '') throw new ConfigError(`${name} and ${name}_FILE: only one of them may be set`)
  const text = readSecretFile(`${name}_FILE`, path).trim()
  if (text === '') throw new ConfigError(`${name}_FILE: ${path} is empty`)
  return text
}

function readSecretFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new ConfigError(`${name}: ${path} cannot be read (${reason})`, { cause })
  }
}

function quota(name: QuotaName, defaultValue = 0): Entry<number> {
  return setting(settingOfQuota(name), String(defaultValue), whole(1, 1e15))
}

function optional(value: string): string | null {
  return value === '' ? null : value
}

function list(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function whole(min: number, max: number): Parse<number> {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, got "${value}"`)
    }
    return number
  }
}

function zeroOr(min: number, max: number): Parse<number> {
  return (value) => {
    if (value === '0') return 0
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be 0, or a whole number from ${min} to ${max}, got "${value}"`)
  }
}

function oneOf<const T extends string>(...allowed: T[]): Parse<T> {
  return (value) => {
    const match = allowed.find((item) => item === value)
    if (match === undefined) throw new Error(`must be one of ${allowed.join(', ')}, got "${value}"`)
    return match
  }
}

function secretOfAtLeast(bytes: number): Parse<string | null> {
  return (value) => {
    if (value === '') return null
    const length = Buffer.byteLength(value)
    if (length < bytes) throw new Error(`must be at least ${bytes} bytes, got ${length}`)
    return value
  }
}

function sourceUrl(value: string): string | null {
  if (value === 'embedded') return value
  return value === '' ? null : httpUrl(value)
}

/** Like `httpUrl`, but unchanged: a final slash is part of an issuer. */
function issuer(value: string): string | null {
  if (value !== '') httpUrl(value)
  return value === '' ? null : value
}

function optionalUrl(value: string): string | null {
  return value === '' ? null : httpUrl(value)
}

/** The value may hold secrets, so the error does not repeat it. */
function headerLines(value: string): string | null {
  const lines = value.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  for (const line of lines) {
    if (!/^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*$/.test(line.trim())) {
      throw new Error('must be lines of the form "Name: value"')
    }
  }
  return lines.length === 0 ? null : lines.map((line) => line.trim()).join('\n')
}

function receiverUrl(value: string): string | null {
  const [address = '', ...query] = value.split('?')
  return value === '' ? null : [httpUrl(address), ...query].join('?')
}

/** The value may hold a secret, so the error does not repeat it. */
function secretUrl(value: string): string | null {
  if (value === '') return null
  const url = /^https?:\/\/\S+$/i.test(value) && URL.canParse(value) ? new URL(value) : null
  if (url === null) throw new Error('must be an http(s) URL')
  if (url.username !== '' || url.password !== '') throw new Error('must be a URL without user name and password')
  return value
}

function origins(value: string): string[] {
  const items = list(value)
  if (items.length > 1 && items.includes('*')) throw new Error('must be either * or a list of origins, not both')
  return items.map((item) => {
    if (item === '*') return item
    const origin = httpUrl(item)
    if (origin !== new URL(item).origin) throw new Error(`must be scheme://host[:port], got "${item}"`)
    return origin
  })
}

function cidrs(value: string): string[] {
  const items = list(value)
  items.forEach(readCidr)
  return items
}

function httpUrl(value: string): string {
  const url = /^https?:\/\/\S+$/i.test(value) && URL.canParse(value) ? new URL(value) : null
  if (url === null) {
    const repeated = value.includes('@') ? '' : `, got "${value}"` // never a password
    throw new Error(`must be an http(s) URL${repeated}`)
  }
  if (url.username !== '' || url.password !== '') throw new Error('must be a URL without user name and password')
  if (/[?#]/.test(value)) throw new Error('must be a URL without query string and fragment')
  return value.replace(/\/+$/, '')
}

function decimal(min: number, max: number): Parse<number> {
  return (value) => {
    const number = Number(value)
    if (/^\d+(?:\.\d+)?$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be a number from ${min} to ${max}, got "${value}"`)
  }
}
