import { type LogFormat, type LogLevel, logLevels } from './log.ts'
import { mapQuotas, quotaNames, type Quotas, settingOfQuota } from './quotas.ts'
import {
  cidrs,
  decimal,
  hostName,
  mailFrom,
  oneOf,
  optional,
  optionalUrl,
  origins,
  secretOfAtLeast,
  secretUrl,
  smtpUrl,
  sourceUrl,
  text,
  whole,
  zeroOr,
  type Parse,
} from './setting-values.ts'

/** The effective settings. Durations are in the unit their name says. Meaning and defaults: docs/configuration.md. */
export type Config = {
  host: string
  port: number
  dataDir: string
  jwtSecret: string | null
  jwtExpirationSeconds: number
  /** From sign-in on, however often a session is refreshed. */
  sessionLifetimeDays: number
  registration: 'open' | 'invite' | 'closed'
  /** `embedded`: the one inside of nines. */
  sourceUrl: string | null
  sourceTimeoutSeconds: number
  /** 0: nothing is evaluated by itself. */
  evaluationIntervalSeconds: number
  evaluationConcurrency: number
  corsOrigins: string[]
  bodyLimitBytes: number
  rateLimitPerIp: number
  /** 0: writes count with reads. */
  rateLimitWritesPerIp: number
  rateLimitGlobal: number
  rateLimitAllow: string[]
  rateLimitBlock: string[]
  trustProxy: string[]
  outboundDeny: string[]
  /** Private ranges that are reached although everybody may register. */
  outboundAllow: string[]
  smtpUrl: string | null
  mailFrom: string
  /** Mails an hour; 0: any number. */
  mailPerAddressHourly: number
  mailPerOrganizationHourly: number
  mailHourly: number
  /** In front of the links in mails and notifications; `null`: http://HOST:PORT. */
  publicUrl: string | null
  notifyConcurrency: number
  /** More places, all of which slow and failing receivers may take. */
  notifySlowConcurrency: number
  notifyRetryDelaySeconds: number
  /** By how much longer each retry waits than the one before. */
  notifyRetryFactor: number
  notifyDedupWindowSeconds: number
  retentionDays: number
  samplesRetentionDays: number
  samplesMaxBytes: number
  /** Of each organization. */
  quotas: Quotas
  /** Of each organization, for queries of the embedded source that somebody waits for. */
  queryCpuSecondsPerMinute: number
  metricsToken: string | null
  /** Called every minute while nines can see. */
  heartbeatUrl: string | null
  /** 0: any age. */
  backupMaxAgeHours: number
  /** How long requests are still taken once `/ready` says that nines is stopping. */
  shutdownGraceSeconds: number
  shutdownTimeoutSeconds: number
  logLevel: LogLevel
  logFormat: LogFormat
}

export type Setting = { name: string; value: string; secret: boolean }

/** An environment variable holds what nines cannot work with; the message names it. */
export class ConfigError extends Error {}

type Environment = Record<string, string | undefined>
type Terminal = { isTerminal: boolean }

/**
 * Addresses no source or channel may reach unless `OUTBOUND_DENY` says otherwise: link-local, where the large clouds
 * keep their instance metadata and its credentials, and the metadata services that live elsewhere.
 */
export const defaultOutboundDeny = [
  '169.254.0.0/16', // AWS, Azure, Google, Oracle, OpenStack, DigitalOcean, Hetzner, …
  'fe80::/10',
  'fd00:ec2::254/128', // AWS instance metadata
  'fd00:ec2::23/128', // AWS EKS pod identity
  'fd20:ce::254/128', // Google
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure WireServer
  '192.0.0.192/32', // Oracle Classic
]

/** Reads and checks every setting once; throws `ConfigError`. The only place that knows the environment's names. */
export function readConfig(env: Environment, terminal: Terminal = { isTerminal: false }): Config {
  const read = reader(env)
  return {
    host: read('HOST', '127.0.0.1', hostName),
    port: read('PORT', '8080', whole(0, 65_535)),
    dataDir: read('DATA_DIR', './data', text),
    jwtSecret: read('JWT_SECRET', '', secretOfAtLeast(32)),
    jwtExpirationSeconds: read('JWT_EXPIRATION', '28800', whole(1, 31_536_000)),
    sessionLifetimeDays: read('SESSION_LIFETIME_DAYS', '90', whole(1, 36_500)),
    registration: read('REGISTRATION', 'invite', oneOf('open', 'invite', 'closed')),
    sourceUrl: read('SOURCE_URL', 'embedded', sourceUrl, { mayBeEmpty: true }),
    sourceTimeoutSeconds: read('SOURCE_TIMEOUT', '30', whole(1, 240)),
    evaluationIntervalSeconds: read('EVALUATION_INTERVAL', '60', zeroOr(10, 3600)),
    evaluationConcurrency: read('EVALUATION_CONCURRENCY', '8', whole(1, 1000)),
    corsOrigins: read('CORS_ORIGINS', '', origins),
    bodyLimitBytes: read('BODY_LIMIT', '1048576', whole(1024, 1_073_741_824)),
    rateLimitPerIp: read('RATE_LIMIT_PER_IP', '100', whole(0, 1_000_000_000)),
    rateLimitWritesPerIp: read('RATE_LIMIT_WRITES_PER_IP', '0', whole(0, 1_000_000_000)),
    rateLimitGlobal: read('RATE_LIMIT_GLOBAL', '1000', whole(0, 1_000_000_000)),
    rateLimitAllow: read('RATE_LIMIT_ALLOW', '', cidrs),
    rateLimitBlock: read('RATE_LIMIT_BLOCK', '', cidrs),
    trustProxy: read('TRUST_PROXY', '', cidrs),
    outboundDeny: read('OUTBOUND_DENY', defaultOutboundDeny.join(','), cidrs),
    outboundAllow: read('OUTBOUND_ALLOW', '', cidrs),
    smtpUrl: read('SMTP_URL', '', smtpUrl),
    mailFrom: read('MAIL_FROM', 'nines@localhost', mailFrom),
    mailPerAddressHourly: read('MAIL_PER_ADDRESS_HOURLY', '60', whole(0, 1_000_000_000)),
    mailPerOrganizationHourly: read('MAIL_PER_ORGANIZATION_HOURLY', '600', whole(0, 1_000_000_000)),
    mailHourly: read('MAIL_HOURLY', '5000', whole(0, 1_000_000_000)),
    publicUrl: read('PUBLIC_URL', '', optionalUrl),
    notifyConcurrency: read('NOTIFY_CONCURRENCY', '8', whole(1, 1000)),
    notifySlowConcurrency: read('NOTIFY_SLOW_CONCURRENCY', '0', whole(0, 1000)),
    notifyRetryDelaySeconds: read('NOTIFY_RETRY_DELAY', '5', decimal(0, 3600)),
    notifyRetryFactor: read('NOTIFY_RETRY_FACTOR', '2', decimal(1, 10)),
    notifyDedupWindowSeconds: read('NOTIFY_DEDUP_WINDOW', '300', whole(0, 86_400)),
    retentionDays: read('RETENTION_DAYS', '400', whole(1, 36_500)),
    samplesRetentionDays: read('SAMPLES_RETENTION_DAYS', '100', whole(1, 36_500)),
    samplesMaxBytes: read('SAMPLES_MAX_BYTES', '4294967296', whole(16_777_216, 1e15)),
    quotas: mapQuotas((name, standard) => read(settingOfQuota(name), String(standard), whole(1, 1e15))),
    queryCpuSecondsPerMinute: read('QUERY_CPU_SECONDS_PER_MINUTE', '30', whole(1, 100_000)),
    metricsToken: read('METRICS_TOKEN', '', optional),
    heartbeatUrl: read('HEARTBEAT_URL', '', secretUrl),
    backupMaxAgeHours: read('BACKUP_MAX_AGE_HOURS', '0', whole(0, 87_600)),
    shutdownGraceSeconds: read('SHUTDOWN_GRACE', '1', decimal(0, 300)),
    shutdownTimeoutSeconds: read('SHUTDOWN_TIMEOUT', '30', whole(0, 3600)),
    logLevel: read('LOG_LEVEL', 'info', oneOf(...logLevels)),
    logFormat: read('LOG_FORMAT', terminal.isTerminal ? 'text' : 'json', oneOf('text', 'json')),
  }
}

/** The effective settings under the names the environment gives them, for `nines config`; secrets are masked. */
export function describeConfig(config: Config): Setting[] {
  const setting = (name: string, value: string | number | string[] | null): Setting => ({
    name,
    value: Array.isArray(value) ? value.join(',') : String(value ?? ''),
    secret: false,
  })
  const hidden = (name: string, value: string | null, unset: string): Setting => ({
    name,
    value: value === null ? unset : '********',
    secret: true,
  })
  return [
    setting('HOST', config.host),
    setting('PORT', config.port),
    setting('DATA_DIR', config.dataDir),
    hidden('JWT_SECRET', config.jwtSecret, '(generated into DATA_DIR/jwt.secret)'),
    setting('JWT_EXPIRATION', config.jwtExpirationSeconds),
    setting('SESSION_LIFETIME_DAYS', config.sessionLifetimeDays),
    setting('REGISTRATION', config.registration),
    setting('SOURCE_URL', config.sourceUrl),
    setting('SOURCE_TIMEOUT', config.sourceTimeoutSeconds),
    setting('EVALUATION_INTERVAL', config.evaluationIntervalSeconds),
    setting('EVALUATION_CONCURRENCY', config.evaluationConcurrency),
    setting('CORS_ORIGINS', config.corsOrigins),
    setting('BODY_LIMIT', config.bodyLimitBytes),
    setting('RATE_LIMIT_PER_IP', config.rateLimitPerIp),
    setting('RATE_LIMIT_WRITES_PER_IP', config.rateLimitWritesPerIp),
    setting('RATE_LIMIT_GLOBAL', config.rateLimitGlobal),
    setting('RATE_LIMIT_ALLOW', config.rateLimitAllow),
    setting('RATE_LIMIT_BLOCK', config.rateLimitBlock),
    setting('TRUST_PROXY', config.trustProxy),
    setting('OUTBOUND_DENY', config.outboundDeny),
    setting('OUTBOUND_ALLOW', config.outboundAllow),
    hidden('SMTP_URL', config.smtpUrl, ''),
    setting('MAIL_FROM', config.mailFrom),
    setting('MAIL_PER_ADDRESS_HOURLY', config.mailPerAddressHourly),
    setting('MAIL_PER_ORGANIZATION_HOURLY', config.mailPerOrganizationHourly),
    setting('MAIL_HOURLY', config.mailHourly),
    setting('PUBLIC_URL', config.publicUrl),
    setting('NOTIFY_CONCURRENCY', config.notifyConcurrency),
    setting('NOTIFY_SLOW_CONCURRENCY', config.notifySlowConcurrency),
    setting('NOTIFY_RETRY_DELAY', config.notifyRetryDelaySeconds),
    setting('NOTIFY_RETRY_FACTOR', config.notifyRetryFactor),
    setting('NOTIFY_DEDUP_WINDOW', config.notifyDedupWindowSeconds),
    setting('RETENTION_DAYS', config.retentionDays),
    setting('SAMPLES_RETENTION_DAYS', config.samplesRetentionDays),
    setting('SAMPLES_MAX_BYTES', config.samplesMaxBytes),
    ...quotaNames.map((name) => setting(settingOfQuota(name), config.quotas[name])),
    setting('QUERY_CPU_SECONDS_PER_MINUTE', config.queryCpuSecondsPerMinute),
    hidden('METRICS_TOKEN', config.metricsToken, ''),
    hidden('HEARTBEAT_URL', config.heartbeatUrl, ''),
    setting('BACKUP_MAX_AGE_HOURS', config.backupMaxAgeHours),
    setting('SHUTDOWN_GRACE', config.shutdownGraceSeconds),
    setting('SHUTDOWN_TIMEOUT', config.shutdownTimeoutSeconds),
    setting('LOG_LEVEL', config.logLevel),
    setting('LOG_FORMAT', config.logFormat),
  ]
}

function reader(env: Environment) {
  return <T>(name: string, standard: string, parse: Parse<T>, { mayBeEmpty = false } = {}): T => {
    const given = env[name]?.trim()
    try {
      return parse(given === undefined || (given === '' && !mayBeEmpty) ? standard : given)
    } catch (error) {
      throw new ConfigError(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
}
