import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../attacks/world.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'
import { fakeTime, hasFakeTime } from '../support/fake-time.ts'
import { startMailServer } from '../support/mail-server.ts'
import { newFolder, type Nines, register, startNines } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { s3Keys, startS3 } from '../support/s3-server.ts'

const isWithout = Bun.which('strace') === null || !hasFakeTime
const isSkipped = isWithout && process.env['CI'] !== 'true'
if (isSkipped) process.stderr.write('Skipped, "without internet": strace and faketime must be installed\n')

afterEach(closeAll)

const slo = {
  name: 'Shop',
  target: 99,
  time_window: '30d',
  metric_type: 'availability',
  metric_query: 'sum_over_time(ok[$window]) / sum_over_time(every[$window])',
}

const hourSeconds = 3600
/** Clock at the start, in seconds of an hour: what nines does at times of a minute and of an hour comes soon. */
const startSeconds = hourSeconds - 50

/** System calls that name an address to send to; the kernel reports them, whoever in the process makes them. */
const calls = 'trace=connect,sendto,sendmsg,sendmmsg'

/** Addresses with ports that a process and its children connected or sent to over IP, sorted. */
function destinations(file: string): string[] {
  const pattern = /sin6?_port=htons\((\d+)\).*?(?:inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)")/g
  const found = [...readFileSync(file, 'utf8').matchAll(pattern)]
  return [...new Set(found.map(([, port, four, six]) => `${four ?? `[${six}]`}:${port}`))].toSorted()
}

/** Servers for everything that can be configured, all on this machine. */
async function surroundings() {
  const at = { value: 1 }
  const source = fakeSource((expression) => (expression.includes('ok') ? at.value : 1))
  const [receiver, watched] = [startReceiver(() => new Response('ok')), startReceiver(() => new Response('up 1\n'))]
  const mail = await startMailServer({ encryption: 'none' })
  const store = startS3()
  closeLater(() => {
    source.close()
    void receiver.close()
    void watched.close()
    void mail.close()
  })
  return { at, source, receiver, watched, mail, store }
}

/** Everything that people do in a day. */
async function work(nines: Nines, around: Awaited<ReturnType<typeof surroundings>>): Promise<string> {
  const token = await register(nines, 'ada')
  const post = async (path: string, body: object) => {
    const { status, text } = await nines.call('POST', `/api/v1${path}`, body, token)
    if (status > 299) throw new Error(`${path}: ${text}`)
  }
  await post('/slos', slo)
  const webhook = { name: 'hook', channel_type: 'webhook', configuration: { webhook_url: around.receiver.url } }
  await post('/notifications/channels', webhook)
  await post('/notifications/channels', {
    name: 'mail',
    channel_type: 'email',
    configuration: { recipients: ['ada@example.com'] },
  })
  for (const channel_id of [1, 2]) {
    await post('/notifications/rules', { slo_id: 1, channel_id, alert_type: 'violation' })
    await post('/notifications/test', { channel_id, subject: 'Shop', message: 'A test' })
  }
  await post('/embedded/targets', { name: 'watched', url: `${around.watched.url}/metrics` })
  await post('/embedded/probes', { name: 'home', type: 'http', target: around.watched.url })
  await post('/auth/password-reset/request', { email: 'ada@example.com' })
  for (const path of ['/', '/docs/', '/openapi.json', '/metrics', '/ready', '/slos/1', '/api/v1/health']) {
    const response = await fetch(`${nines.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    expect([path, response.status]).toEqual([path, 200])
    const files = [...(await response.text()).matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|woff2|svg))"/g)]
    for (const [, file = ''] of files) expect((await fetch(`${nines.url}${file}`)).status).toBe(200)
  }
  return token
}

describe.skipIf(isSkipped)('without internet', () => {
  test('a day of work connects to what is configured and to nothing else, as the kernel sees it', async () => {
    const around = await surroundings()
    const { at, source, receiver, watched, mail, store } = around
    const aheadSeconds = (hourSeconds + startSeconds - (Math.floor(Date.now() / 1000) % hourSeconds)) % hourSeconds
    const time = fakeTime(`+${aheadSeconds}`)
    const traced = join(newFolder(), 'calls')
    const nines = await startNines({
      dataDir: newFolder(),
      through: ['strace', '-D', '-f', '-qq', '-e', calls, '-e', 'signal=none', '-o', traced],
      env: {
        ...time.env,
        REGISTRATION: 'invite',
        EVALUATION_INTERVAL: '10',
        SOURCE_URL: source.url,
        SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        HEARTBEAT_URL: `${receiver.url}/alive`,
        REMOTE_WRITE_URL: `${receiver.url}/write`,
        BACKUP_SCHEDULE: '0 * * * *',
        BACKUP_DIR: join(newFolder(), 'backups'),
        BACKUP_S3_URL: store.url,
        BACKUP_S3_REGION: s3Keys.region,
        BACKUP_S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
        BACKUP_S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
      },
    })
    await work(nines, around)
    at.value = 0.5
    const awaited = () => {
      const paths = new Set(receiver.received.map(({ path }) => path))
      return [
        ...['/', '/alive', '/write'].filter((path) => !paths.has(path)),
        ...(mail.mails.length > 0 ? [] : ['mail']),
        ...(watched.received.length > 1 ? [] : ['a scrape and a probe']),
        ...(store.objects.size > 0 ? [] : ['a backup']),
      ]
    }
    await eventually(150, async () => (awaited().length === 0 ? true : undefined)).catch(() =>
      expect(awaited()).toEqual([]),
    )
    for (const hours of [12, 24]) {
      time.set(`+${aheadSeconds + hours * hourSeconds}`)
      const before = new Set(store.objects.keys()) // of one day the last backup is kept: there may be no more of them than before
      await Promise.all([
        eventually(90, async () => [...store.objects.keys()].some((name) => !before.has(name)) || undefined),
        Bun.sleep(34_000), // jobs look at the clock every thirty seconds at least
      ])
    }
    nines.kill('SIGTERM')
    expect(await nines.exited).toBe(0)
    const ports = [source.url, receiver.url, watched.url, store.url].map((url) => new URL(url).port)
    const configured = [...ports, String(mail.port)].map((port) => `127.0.0.1:${port}`)
    expect(destinations(traced).filter((to) => !to.endsWith(':0'))).toEqual(configured.toSorted())
  }, 600_000)
})
