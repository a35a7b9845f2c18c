import { Glob } from 'bun'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, ConfigError, describeConfig, readConfig } from '../src/config.ts'
import { defaultQuotas } from '../src/quotas.ts'
import { defaults } from './support/default-config.ts'

const names = describeConfig(defaults).map(({ name }) => name)
const shownBy = (env: Record<string, string>) =>
  Object.fromEntries(describeConfig(readConfig(env)).map(({ name, value }) => [name, value]))
const failureOf = (env: Record<string, string>): string => {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error(`nothing was wrong with ${JSON.stringify(env)}`)
}

describe('a setting', () => {
  test('that is not given has its default', () => {
    expect(readConfig({})).toEqual(defaults)
  })

  test('that is blank has its default; a blank source is none', () => {
    for (const blank of [' \t', '']) {
      const all = Object.fromEntries(names.map((name) => [name, blank]))
      expect(readConfig(all)).toEqual({ ...defaults, sourceUrl: null })
    }
  })

  test('that nines does not know is no error', () => {
    expect(readConfig({ NINES_COLOUR: 'green', NINES_PORT: 'x', PATH: '/bin' })).toEqual(defaults)
  })

  test.each<[string, string, Partial<Config>]>([
    ['HOST', ' 0.0.0.0 ', { host: '0.0.0.0' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['DATA_DIR', '/var/lib/nines', { dataDir: '/var/lib/nines' }],
    ['JWT_SECRET', 'x'.repeat(32), { jwtSecret: 'x'.repeat(32) }],
    ['JWT_SECRET', 'ä'.repeat(16), { jwtSecret: 'ä'.repeat(16) }],
    ['JWT_EXPIRATION', '1', { jwtExpirationSeconds: 1 }],
    ['SESSION_LIFETIME_DAYS', '7', { sessionLifetimeDays: 7 }],
    ['SESSION_IDLE_HOURS', '12', { sessionIdleHours: 12 }],
    ['NEW_DEVICE_MAIL', 'false', { newDeviceMail: 'false' }],
    ['OIDC_NAME', 'Example ID', { oidcName: 'Example ID' }],
    ['OIDC_SCOPES', 'openid, email groups', { oidcScopes: 'openid email groups' }],
    ['OIDC_ROLE_MAP', ' a=admin ,, b=member', { oidcRoleMap: ['a=admin', 'b=member'] }],
    ['OIDC_ROLE_MAP', 'cn=a,dc=b=admin;', { oidcRoleMap: ['cn=a,dc=b=admin'] }],
    ['REGISTRATION', 'invite', { registration: 'invite' }],
    ['REGISTRATION', 'closed', { registration: 'closed' }],
    ['SOURCE_URL', ' ', { sourceUrl: null }],
    ['SOURCE_URL', 'embedded', { sourceUrl: 'embedded' }],
    ['SOURCE_URL', 'http://localhost:9090', { sourceUrl: 'http://localhost:9090' }],
    ['SOURCE_URL', 'https://mimir.example/prometheus//', { sourceUrl: 'https://mimir.example/prometheus' }],
    ['SOURCE_TIMEOUT', '240', { sourceTimeoutSeconds: 240 }],
    ['EVALUATION_INTERVAL', '0', { evaluationIntervalSeconds: 0 }],
    ['EVALUATION_INTERVAL', '10', { evaluationIntervalSeconds: 10 }],
    ['EVALUATION_CONCURRENCY', '1', { evaluationConcurrency: 1 }],
    ['CORS_ORIGINS', '*', { corsOrigins: ['*'] }],
    [
      'CORS_ORIGINS',
      ' https://a.example/ ,, http://b.example:81',
      { corsOrigins: ['https://a.example', 'http://b.example:81'] },
    ],
    ['BODY_LIMIT', '1024', { bodyLimitBytes: 1024 }],
    ['RATE_LIMIT_PER_IP', '0', { rateLimitPerIp: 0 }],
    ['RATE_LIMIT_WRITES_PER_IP', '50', { rateLimitWritesPerIp: 50 }],
    ['RATE_LIMIT_GLOBAL', '100000', { rateLimitGlobal: 100_000 }],
    ['RATE_LIMIT_ALLOW', '10.0.0.0/8,::1', { rateLimitAllow: ['10.0.0.0/8', '::1'] }],
    ['RATE_LIMIT_BLOCK', '192.0.2.7', { rateLimitBlock: ['192.0.2.7'] }],
    ['TRUST_PROXY', '127.0.0.1', { trustProxy: ['127.0.0.1'] }],
    ['SMTP_URL', 'smtp://ada:s%40cret@mail.example:587', { smtpUrl: 'smtp://ada:s%40cret@mail.example:587' }],
    ['SMTP_URL', 'smtps://mail.example', { smtpUrl: 'smtps://mail.example' }],
    ['MAIL_FROM', 'nines@example.com', { mailFrom: 'nines@example.com' }],
    ['MAIL_PER_ADDRESS_HOURLY', '10', { mailPerAddressHourly: 10 }],
    ['MAIL_PER_ORGANIZATION_HOURLY', '0', { mailPerOrganizationHourly: 0 }],
    ['MAIL_HOURLY', '100000', { mailHourly: 100_000 }],
    ['PUBLIC_URL', 'https://nines.example/', { publicUrl: 'https://nines.example' }],
    ['OUTBOUND_DENY', '10.0.0.0/8, ::1 ,192.0.2.7', { outboundDeny: ['10.0.0.0/8', '::1', '192.0.2.7'] }],
    ['OUTBOUND_ALLOW', '10.0.0.0/8, ::1', { outboundAllow: ['10.0.0.0/8', '::1'] }],
    ['NOTIFY_CONCURRENCY', '1', { notifyConcurrency: 1 }],
    ['NOTIFY_SLOW_CONCURRENCY', '16', { notifySlowConcurrency: 16 }],
    ['NOTIFY_RETRY_DELAY', '0.5', { notifyRetryDelaySeconds: 0.5 }],
    ['NOTIFY_RETRY_FACTOR', '1.5', { notifyRetryFactor: 1.5 }],
    ['NOTIFY_DEDUP_WINDOW', '0', { notifyDedupWindowSeconds: 0 }],
    ['RETENTION_DAYS', '1', { retentionDays: 1 }],
    ['SAMPLES_RETENTION_DAYS', '35', { samplesRetentionDays: 35 }],
    ['SAMPLES_MAX_BYTES', '16777216', { samplesMaxBytes: 16_777_216 }],
    ['QUOTA_SLOS', '1', { quotas: { ...defaultQuotas, slos: 1 } }],
    ['QUOTA_INVITATIONS_HOURLY', '7', { quotas: { ...defaultQuotas, invitations_hourly: 7 } }],
    ['QUERY_CPU_SECONDS_PER_MINUTE', '5', { queryCpuSecondsPerMinute: 5 }],
    [
      'REMOTE_WRITE_URL',
      'https://vm.example/api/v1/write?extra_label=a=b',
      { remoteWriteUrl: 'https://vm.example/api/v1/write?extra_label=a=b' },
    ],
    [
      'REMOTE_WRITE_HEADERS',
      ' X-Scope-OrgID: a, b \n\r\nX-Key:=1\n',
      { remoteWriteHeaders: 'X-Scope-OrgID: a, b\nX-Key:=1' },
    ],
    ['REMOTE_WRITE_BEARER_TOKEN', 'sesame', { remoteWriteBearerToken: 'sesame' }],
    ['REMOTE_WRITE_MATCH', '{job="a"}, up', { remoteWriteMatch: '{job="a"}, up' }],
    ['METRICS_TOKEN', 'sesame', { metricsToken: 'sesame' }],
    ['HEARTBEAT_URL', 'https://hc.example/ping/s3cret?x=1', { heartbeatUrl: 'https://hc.example/ping/s3cret?x=1' }],
    ['BACKUP_MAX_AGE_HOURS', '26', { backupMaxAgeHours: 26 }],
    ['BACKUP_SCHEDULE', '15 2 * * *', { backupSchedule: '15 2 * * *' }],
    ['BACKUP_DIR', '/backups', { backupDir: '/backups' }],
    ['BACKUP_KEEP', '3,0,1', { backupKeep: ['3', '0', '1'] }],
    ['BACKUP_S3_REGION', 'eu-central-1', { backupS3Region: 'eu-central-1' }],
    ['SHUTDOWN_GRACE', '0.5', { shutdownGraceSeconds: 0.5 }],
    ['SHUTDOWN_TIMEOUT', '0', { shutdownTimeoutSeconds: 0 }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['LOG_LEVEL', 'error', { logLevel: 'error' }],
    ['LOG_FORMAT', 'text', { logFormat: 'text' }],
  ])('%s=%j changes itself and nothing else', (name, value, change) => {
    expect(readConfig({ [name]: value })).toEqual({ ...defaults, ...change })
  })

  test('on a terminal LOG_FORMAT is text, unless it says otherwise', () => {
    expect(readConfig({}, { isTerminal: true })).toEqual({ ...defaults, logFormat: 'text' })
    expect(readConfig({ LOG_FORMAT: 'json' }, { isTerminal: true }).logFormat).toBe('json')
  })

  test.each([
    ['PORT', 'x', 'must be a whole number from 0 to 65535, got "x"'],
    ['PORT', '65536', 'must be a whole number from 0 to 65535, got "65536"'],
    ['PORT', '-1', 'must be a whole number from 0 to 65535, got "-1"'],
    ['PORT', '80.5', 'must be a whole number from 0 to 65535, got "80.5"'],
    ['PORT', '0x50', 'must be a whole number from 0 to 65535, got "0x50"'],
    ['PORT', '1e3', 'must be a whole number from 0 to 65535, got "1e3"'],
    ['JWT_SECRET', 'x'.repeat(31), 'must be at least 32 bytes, got 31'],
    ['JWT_EXPIRATION', '0', 'must be a whole number from 1 to 31536000, got "0"'],
    ['JWT_EXPIRATION', '8h', 'must be a whole number from 1 to 31536000, got "8h"'],
    ['OIDC_ISSUER', 'id.example.com', 'must be an http(s) URL, got "id.example.com"'],
    ['OIDC_SCOPES', 'profile', 'must include openid'],
    [
      'OIDC_ROLE_MAP',
      'a=owner',
      'must be a list of GROUP=ROLE with one of the roles viewer, member, admin, got "a=owner"',
    ],
    ['TRUSTED_HEADER_USER', 'Remote User', 'must be the name of a header, got "Remote User"'],
    ['REGISTRATION', 'Open', 'must be one of open, invite, closed, got "Open"'],
    ['SOURCE_URL', 'localhost:9090', 'must be an http(s) URL, got "localhost:9090"'],
    ['SOURCE_URL', 'http://', 'must be an http(s) URL, got "http://"'],
    ['SOURCE_URL', 'http:prometheus', 'must be an http(s) URL, got "http:prometheus"'],
    ['SOURCE_URL', 'http://a\nb', 'must be an http(s) URL, got "http://a\nb"'],
    ['SOURCE_URL', 'file:///etc/passwd', 'must be an http(s) URL, got "file:///etc/passwd"'],
    ['SOURCE_URL', 'http://ada:secret@x', 'must be a URL without user name and password'],
    ['SOURCE_URL', 'http://x/?token=secret', 'must be a URL without query string and fragment'],
    ['SOURCE_URL', 'http://x/#', 'must be a URL without query string and fragment'],
    ['SOURCE_TIMEOUT', '0', 'must be a whole number from 1 to 240, got "0"'],
    ['SOURCE_TIMEOUT', '241', 'must be a whole number from 1 to 240, got "241"'],
    ['EVALUATION_INTERVAL', '5', 'must be 0, or a whole number from 10 to 3600, got "5"'],
    ['EVALUATION_CONCURRENCY', '0', 'must be a whole number from 1 to 1000, got "0"'],
    ['CORS_ORIGINS', '*,https://a.example', 'must be either * or a list of origins, not both'],
    ['CORS_ORIGINS', 'a.example', 'must be an http(s) URL, got "a.example"'],
    ['CORS_ORIGINS', 'https://a.example/page', 'must be scheme://host[:port], got "https://a.example/page"'],
    ['BODY_LIMIT', '1023', 'must be a whole number from 1024 to 1073741824, got "1023"'],
    ['OUTBOUND_DENY', '10.0.0.0/33', 'must be an IP address or a CIDR, got "10.0.0.0/33"'],
    ['OUTBOUND_DENY', '10.0.0', 'must be an IP address or a CIDR, got "10.0.0"'],
    ['OUTBOUND_ALLOW', '10.0.0.0/33', 'must be an IP address or a CIDR, got "10.0.0.0/33"'],
    ['OUTBOUND_DENY', '::1,prometheus', 'must be an IP address or a CIDR, got "prometheus"'],
    ['RATE_LIMIT_PER_IP', '-1', 'must be a whole number from 0 to 1000000000, got "-1"'],
    ['RATE_LIMIT_WRITES_PER_IP', 'none', 'must be a whole number from 0 to 1000000000, got "none"'],
    ['RATE_LIMIT_GLOBAL', '1.5', 'must be a whole number from 0 to 1000000000, got "1.5"'],
    ['RATE_LIMIT_ALLOW', 'localhost', 'must be an IP address or a CIDR, got "localhost"'],
    ['RATE_LIMIT_BLOCK', '1.2.3.4/', 'must be an IP address or a CIDR, got "1.2.3.4/"'],
    ['TRUST_PROXY', '*', 'must be an IP address or a CIDR, got "*"'],
    ['SMTP_URL', 'mail.example:587', 'must be smtp://[user:password@]host[:port] or smtps://…'],
    ['SMTP_URL', 'http://mail.example', 'must be smtp://[user:password@]host[:port] or smtps://…'],
    ['SMTP_URL', 'smtp://', 'must be smtp://[user:password@]host[:port] or smtps://…'],
    ['MAIL_FROM', 'nines', 'must be an e-mail address, got "nines"'],
    ['MAIL_FROM', 'a@b.c\nBcc: d@e.f', 'must be an e-mail address, got "a@b.c\nBcc: d@e.f"'],
    ['PUBLIC_URL', 'nines.example', 'must be an http(s) URL, got "nines.example"'],
    ['HEARTBEAT_URL', 'https://ada:secret@x', 'must be a URL without user name and password'],
    ['HEARTBEAT_URL', 'ftp://x', 'must be an http(s) URL'],
    ['REMOTE_WRITE_URL', 'vm.example', 'must be an http(s) URL, got "vm.example"'],
    ['REMOTE_WRITE_URL', 'http://ada:secret@x', 'must be a URL without user name and password'],
    ['REMOTE_WRITE_HEADERS', 'X-Key=1', 'must be lines of the form "Name: value"'],
    ['REMOTE_WRITE_HEADERS', 'X Key: 1', 'must be lines of the form "Name: value"'],
    ['NOTIFY_CONCURRENCY', '0', 'must be a whole number from 1 to 1000, got "0"'],
    ['MAIL_HOURLY', '-1', 'must be a whole number from 0 to 1000000000, got "-1"'],
    ['NOTIFY_SLOW_CONCURRENCY', '1001', 'must be a whole number from 0 to 1000, got "1001"'],
    ['NOTIFY_RETRY_DELAY', '-1', 'must be a number from 0 to 3600, got "-1"'],
    ['NOTIFY_RETRY_FACTOR', '0.5', 'must be a number from 1 to 10, got "0.5"'],
    ['NOTIFY_DEDUP_WINDOW', '1.5', 'must be a whole number from 0 to 86400, got "1.5"'],
    ['RETENTION_DAYS', '0', 'must be a whole number from 1 to 36500, got "0"'],
    ['QUOTA_USERS', '0', 'must be a whole number from 1 to 1000000000000000, got "0"'],
    ['HOST', 'not a host!', 'must be an IP address, a host name or unix:/path, got "not a host!"'],
    ['HOST', 'http://localhost', 'must be an IP address, a host name or unix:/path, got "http://localhost"'],
    ['HOST', '[::1]', 'must be an IP address, a host name or unix:/path, got "[::1]"'],
    ['SHUTDOWN_GRACE', '301', 'must be a number from 0 to 300, got "301"'],
    ['SHUTDOWN_TIMEOUT', '3601', 'must be a whole number from 0 to 3600, got "3601"'],
    ['LOG_LEVEL', 'verbose', 'must be one of debug, info, warn, error, got "verbose"'],
    ['LOG_FORMAT', 'xml', 'must be one of text, json, got "xml"'],
  ])('%s=%j is refused, by name and with what was wanted', (name, value, wanted) => {
    expect(failureOf({ [name]: value })).toBe(`${name}: ${wanted}`)
  })

  test('of credentials for remote write needs its other half, and excludes the other way', () => {
    const [user, password] = [{ REMOTE_WRITE_USERNAME: 'ada' }, { REMOTE_WRITE_PASSWORD: 'hunter2' }]
    expect(readConfig({ ...user, ...password })).toMatchObject({
      remoteWriteUsername: 'ada',
      remoteWritePassword: 'hunter2',
    })
    const halves = 'REMOTE_WRITE_USERNAME and REMOTE_WRITE_PASSWORD: both must be set, or none'
    for (const half of [user, password]) expect(failureOf(half)).toBe(halves)
    expect(failureOf({ ...user, ...password, REMOTE_WRITE_BEARER_TOKEN: 'x' })).toBe(
      'REMOTE_WRITE_BEARER_TOKEN and REMOTE_WRITE_USERNAME: only one of them may be set',
    )
  })

  test('that is refused is not repeated where it may hold a secret', () => {
    expect(failureOf({ JWT_SECRET: 'hunter2' })).not.toContain('hunter2')
    expect(failureOf({ SMTP_URL: 'smpt://ada:hunter2@mail.example' })).not.toContain('hunter2')
    expect(failureOf({ HEARTBEAT_URL: 'hc.example/hunter2' })).not.toContain('hunter2')
    for (const url of ['http://ada:hunter2@x', 'ada:hunter2@x', 'ftp://ada:hunter2@x', 'http://x/?token=hunter2']) {
      expect(failureOf({ SOURCE_URL: url })).not.toContain('hunter2')
    }
  })
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nines-secret-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileOf = (text: string) => {
    const path = join(folder, String(Bun.hash(text)))
    writeFileSync(path, text)
    return path
  }
  const secrets = describeConfig(defaults).flatMap(({ name, isSecret }) => (isSecret ? [name] : []))
  const others = (name: string) => (name === 'REMOTE_WRITE_PASSWORD' ? { REMOTE_WRITE_USERNAME: 'ada' } : {})
  const valueOf = (name: string) =>
    name === 'REMOTE_WRITE_HEADERS'
      ? 'X-Key: 1'
      : name.endsWith('_URL')
        ? `${name.startsWith('SMTP') ? 'smtp' : 'https'}://x`
        : 'Abc=12'.repeat(8)

  test.each(secrets)('%s is read from the file that is named with _FILE, without the line break at its end', (name) => {
    for (const end of ['', '\n', '\r\n']) {
      const path = fileOf(`${valueOf(name)}${end}`)
      expect(readConfig({ [`${name}_FILE`]: ` ${path} `, ...others(name) })).toEqual(
        readConfig({ [name]: valueOf(name), ...others(name) }),
      )
    }
    expect(readConfig({ [`${name}_FILE`]: ' ' })).toEqual(defaults)
  })

  test('cannot be given directly as well', () => {
    const both = { METRICS_TOKEN: 'hunter2', METRICS_TOKEN_FILE: fileOf('hunter2') }
    expect(failureOf(both)).toBe('METRICS_TOKEN and METRICS_TOKEN_FILE: only one of them may be set')
  })

  test('that cannot be read is refused by the name of the file and the reason', () => {
    const missing = join(folder, 'missing')
    expect(failureOf({ JWT_SECRET_FILE: missing })).toBe(`JWT_SECRET_FILE: ${missing} cannot be read (ENOENT)`)
    expect(failureOf({ JWT_SECRET_FILE: folder })).toBe(`JWT_SECRET_FILE: ${folder} cannot be read (EISDIR)`)
    const empty = fileOf('\n')
    expect(failureOf({ JWT_SECRET_FILE: empty })).toBe(`JWT_SECRET_FILE: ${empty} is empty`)
  })

  test('is held to what its setting must be', () => {
    expect(failureOf({ JWT_SECRET_FILE: fileOf('hunter2\n') })).toBe('JWT_SECRET: must be at least 32 bytes, got 7')
  })
})

describe('the description of the settings', () => {
  test('reads back as the same configuration', () => {
    const env = {
      HOST: '0.0.0.0',
      PORT: '0',
      CORS_ORIGINS: 'https://a.example,https://b.example',
      SOURCE_URL: 'http://x',
    }
    const { JWT_SECRET: _secret, METRICS_TOKEN: _token, SMTP_URL: _url, ...shown } = shownBy(env)
    expect(readConfig(shown)).toEqual(readConfig(env))
  })

  test('masks secrets, and says where an unset one comes from', () => {
    expect(shownBy({})).toMatchObject({ JWT_SECRET: '(generated into DATA_DIR/jwt.secret)', METRICS_TOKEN: '' })
    const shown = shownBy({ JWT_SECRET: 's3cret'.repeat(6), METRICS_TOKEN: 's3cret', SMTP_URL: 'smtp://a:s3cret@b' })
    Object.assign(shown, { HEARTBEAT: shownBy({ HEARTBEAT_URL: 'https://hc.example/s3cret' })['HEARTBEAT_URL'] })
    expect(shown).toMatchObject({
      HEARTBEAT: '********',
      JWT_SECRET: '********',
      METRICS_TOKEN: '********',
      SMTP_URL: '********',
    })
    expect(JSON.stringify(shown)).not.toContain('s3cret')
  })

  test('has every setting once', () => {
    const { quotas, ...others } = defaults
    expect(names).toHaveLength(Object.keys(others).length + Object.keys(quotas).length)
    expect(new Set(names).size).toBe(names.length)
  })
})

test('no other file knows what a setting is called, and only commands hand the environment over', async () => {
  const root = join(import.meta.dir, '..', 'src')
  const bare = new Bun.Transpiler({ loader: 'ts' }) // drops comments, which may mention settings
  const quoted = new RegExp(`['"\`](?:${names.join('|')})['"\`]|\\.(?:${names.join('|')})\\b`)
  const read: string[] = []
  const wrong: string[] = []
  for (const file of new Glob('**/*.ts').scanSync(root)) {
    if (file === 'config.ts' || file.endsWith('.d.ts')) continue
    if (file.startsWith('http/openapi/examples/')) continue // an answer lists settings
    const code = bare.transformSync(await Bun.file(join(root, file)).text())
    if (/\b(?:process|Bun|import\.meta)\.env\b/.test(code)) read.push(file)
    if (quoted.test(code)) wrong.push(file)
  }
  expect(wrong).toEqual([])
  const main = 'main.ts' // sets options of libraries and reads no setting
  const proxies = ['bucket', 'doctor/doctor', 'export-samples', 'healthcheck', 'serve'] // clear the variables of proxies
  const commands = [...proxies, 'run'].toSorted()
  expect(read.toSorted()).toEqual([...commands.map((name) => `cli/${name}.ts`), main])
})

test.each([
  [{ OIDC_ISSUER: 'https://id.example.com' }, 'OIDC_ISSUER and OIDC_CLIENT_ID: both must be set, or none'],
  [{ OIDC_ONLY: 'true' }, 'OIDC_ONLY: nobody could sign in without OIDC_ISSUER'],
  [
    { TRUSTED_HEADER_USER: 'Remote-User' },
    'TRUSTED_HEADER_USER: TRUST_PROXY must name the proxy that sends the header',
  ],
])('sign-in that nobody could use stops the start: %j', (env, message) => {
  expect(() => readConfig(env)).toThrow(message)
})

test('an issuer keeps its final slash', () => {
  const env = { OIDC_ISSUER: 'https://id.example.com/o/nines/', OIDC_CLIENT_ID: 'nines' }
  expect(readConfig(env).oidcIssuer).toBe('https://id.example.com/o/nines/')
})
