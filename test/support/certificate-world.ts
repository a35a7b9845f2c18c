import { createServer, type Server } from 'node:tls'
import { newDataDir, type TestApp, testApp, testStartMs } from './app.ts'
import { closeLater } from './closing.ts'
import { type MadeCertificate, makeCertificate } from './make-certificate.ts'
import { startWebhook, type WebhookReceiver } from './receivers/webhook.ts'

export const dayMs = 86_400_000

/** A certificate of shop.example that expires so many days after the start of the test's clock. */
export function expiringIn(days: number, names = ['shop.example', 'www.shop.example']): MadeCertificate {
  return makeCertificate({ names, fromMs: testStartMs - 300 * dayMs, untilMs: testStartMs + days * dayMs })
}

/** An https server on 127.0.0.1. `connections`: how many it had. `renew`: uses another certificate from now on. */
export type SecureServer = {
  port: number
  connections(): number
  renew(made: MadeCertificate): Promise<void>
  stop(): void
}

export async function secureServer(first: MadeCertificate): Promise<SecureServer> {
  let connections = 0
  let server: Server
  const listen = async ({ cert, key }: MadeCertificate, port: number): Promise<number> => {
    server = createServer({ cert, key }, (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
    })
    server.on('connection', () => void (connections += 1)).on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    return address.port
  }
  const port = await listen(first, 0)
  closeLater(() => void server.close())
  return {
    port,
    connections: () => connections,
    stop: () => void server.close(),
    async renew(made) {
      server.close()
      await listen(made, port)
    },
  }
}

export type CertificateWorld = {
  nines: TestApp
  hook: WebhookReceiver
  /** Lets days pass, runs what is collected and the jobs of certificates and of the delivery. */
  pass(days?: number): Promise<void>
  /** Ends nines as a kill would, and starts it again a minute later. */
  restart(): Promise<void>
  post(path: string, body: object, token?: string): Promise<{ id: number }>
  /** Event and subject of what the webhook has received. */
  told(): string[]
}

/** nines with one organization, a webhook, and its rule for conditions. */
export async function certificateWorld(): Promise<CertificateWorld> {
  const dataDir = newDataDir()
  const hook = startWebhook()
  const start = (startMs?: number) => testApp({ dataDir, ...(startMs !== undefined && { startMs }) })
  const world: CertificateWorld = {
    nines: await start(),
    hook,
    async pass(days = 0) {
      const { app, clock } = world.nines
      clock.advance(days * dayMs)
      for (let second = 0; second < 61; second += 1) {
        clock.advance(1000)
        app.collector.tick()
        await app.collector.drain()
      }
      await app.certificates.run()
      await app.delivery.run()
      await app.delivery.drain()
    },
    async restart() {
      const nowMs = world.nines.clock.now()
      const token = world.nines.token()
      await world.nines.app.close()
      world.nines = await testApp({ dataDir, startMs: nowMs + 60_000, token })
      await world.nines.app.collector.reload(1)
    },
    async post(path, body, token) {
      const answer = await world.nines.call('POST', `/api/v1${path}`, body, token === undefined ? {} : { token })
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.body.data ?? answer.body
    },
    told: () => hook.received.map(({ json }) => `${json.event}: ${json.subject}`),
  }
  closeLater(() => world.nines.close())
  closeLater(() => hook.close())
  await world.nines.join('ada')
  await world.post('/notifications/channels', {
    name: 'hook',
    channel_type: 'webhook',
    configuration: { webhook_url: hook.url },
  })
  await world.post('/notifications/rules', { channel_id: 1, alert_type: 'appliance_condition', notify: false })
  return world
}

/** Body of a probe of an https server, whose certificate nobody vouches for. */
export const probeOf = (port: number, name = 'Shop') => ({
  name,
  type: 'http',
  target: `https://127.0.0.1:${port}/`,
  settings: { verify_certificate: false },
})
