import { afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../attacks/world.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { newFolder, register, startNines } from '../support/process.ts'

const missing = ['nginx', 'caddy', 'curl'].filter((program) => Bun.which(program) === null)
const isSkipped = missing.length > 0 && process.env['CI'] !== 'true'
if (isSkipped) process.stderr.write(`Skipped, "behind proxies": ${missing.join(', ')} not installed\n`)

afterEach(closeAll)

const document = readFileSync(join(import.meta.dir, '../../docs/install.md'), 'utf8')
const examples = (language: string) =>
  [...document.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)
const [wholeNginx = '', locationNginx = ''] = examples('nginx')
const [wholeCaddy = '', pathCaddy = ''] = examples('caddyfile')

/** Replaces what must be in a text; what is gone from the document fails here. */
function replaced(text: string, ...changes: [RegExp, string][]): string {
  return changes.reduce((current, [pattern, by]) => {
    if (!pattern.test(current)) throw new Error(`docs/install.md has no ${pattern.source}`)
    return current.replaceAll(pattern, () => by)
  }, text)
}

type Ports = { own: number; proxy: number }
type Proxy = { name: string; path: string; command: (folder: string, ports: Ports) => string[] }

function nginx(location: RegExp | null): Proxy['command'] {
  return (folder, { own, proxy }) => {
    const inPath = location === null ? wholeNginx : replaced(wholeNginx, [location, locationNginx])
    const server = replaced(
      inPath,
      [/listen 443 ssl;/g, `listen 127.0.0.1:${proxy};`],
      [/ +ssl_certificate.*\n/g, ''],
      [/127\.0\.0\.1:8080/g, `127.0.0.1:${own}`],
    )
    mkdirSync(join(folder, 'temp'))
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path temp/${of};`)
    const head = 'daemon off; user root; pid nginx.pid; error_log stderr warn; events {}'
    writeFileSync(join(folder, 'nginx.conf'), `${head}\nhttp { access_log off; ${temporary.join(' ')}\n${server}\n}`)
    return ['nginx', '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr']
  }
}

function caddy(text: string, site: RegExp): Proxy['command'] {
  return (folder, { own, proxy }) => {
    const file = join(folder, 'Caddyfile')
    const address = `http://127.0.0.1:${proxy} {`
    const sites = replaced(text, [site, address], [/127\.0\.0\.1:8080/g, `127.0.0.1:${own}`])
    writeFileSync(file, `{\n  admin off\n  auto_https off\n}\n${sites}`)
    return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile']
  }
}

const proxies: Proxy[] = [
  { name: 'nginx', path: '', command: nginx(null) },
  { name: 'nginx below a path', path: '/nines', command: nginx(/ {2}location \/ \{[^}]*\}\n/g) },
  { name: 'Caddy', path: '', command: caddy(wholeCaddy, /^nines\.example\.com \{/gm) },
  { name: 'Caddy below a path', path: '/nines', command: caddy(pathCaddy, /^example\.com \{/gm) },
]

async function freePort(): Promise<number> {
  const free = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = free
  await free.stop(true)
  return port
}

/** nines behind a proxy, and the URL of the proxy. Clients from 127.0.0.9 are blocked. */
async function behind({ path, command }: Proxy) {
  const ports = { own: await freePort(), proxy: await freePort() }
  const url = `http://127.0.0.1:${ports.proxy}${path}`
  const nines = await startNines({
    dataDir: newFolder(),
    env: {
      PORT: String(ports.own),
      PUBLIC_URL: url,
      TRUST_PROXY: '127.0.0.1',
      RATE_LIMIT_BLOCK: '127.0.0.9',
      BODY_LIMIT: '8000000',
    },
  })
  const folder = newFolder()
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder }
  const child = Bun.spawn(command(folder, ports), { cwd: folder, env, stdout: 'ignore', stderr: 'ignore' })
  closeLater(async () => {
    child.kill('SIGTERM')
    await child.exited
  })
  await eventually(20, async () => ((await fetch(`${url}/ready`).catch(() => undefined))?.ok ? true : undefined))
  return { nines, url, token: await register(nines, 'ada') }
}

/** Status that a client with this address gets, which claims to be another. */
function statusFor(url: string, { from, claiming }: { from: string; claiming: string }): number {
  const args = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '--interface', from]
  const { stdout } = Bun.spawnSync(['curl', ...args, '-H', `X-Forwarded-For: ${claiming}`, `${url}/api/v1/health`])
  return Number(stdout.toString())
}

/** Three megabytes of OpenMetrics, of the last hours. */
function largeImport(): { text: string; lines: number } {
  const lines = 90_000
  const startSeconds = Math.floor(Date.now() / 1000) - 3600 - lines
  const samples = Array.from({ length: lines }, (_, n) => `imported{n="1"} ${n} ${startSeconds + n}.000\n`)
  return { text: `# TYPE imported gauge\n${samples.join('')}# EOF\n`, lines }
}

describe.skipIf(isSkipped)('behind proxies', () => {
  test.each(proxies.map((proxy) => [proxy.name, proxy] as const))(
    '%s as documented serves the page, live updates, the addresses of clients and large imports',
    async (_, proxy) => {
      const { url, token } = await behind(proxy)
      const page = await fetch(`${url}/`)
      const html = await page.text()
      const script = /<script[^>]* src="([^"]+)"/.exec(html)?.[1] ?? ''
      expect(new URL(script, `${url}/`).pathname).toStartWith(`${proxy.path}/`)
      expect((await fetch(new URL(script, `${url}/`))).status).toBe(200)

      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws/subscribe`, ['nines.v1', `bearer.${token}`])
      closeLater(() => socket.close())
      const answer = Promise.withResolvers<string>()
      socket.addEventListener('message', ({ data }) => answer.resolve(String(data)))
      socket.addEventListener('error', () => answer.reject(new Error('the socket failed')))
      socket.addEventListener('open', () => socket.send('{"type":"ping"}'))
      expect(await answer.promise).toContain('"pong"')

      expect(statusFor(url, { from: '127.0.0.8', claiming: '127.0.0.9' })).toBe(200)
      expect(statusFor(url, { from: '127.0.0.9', claiming: '127.0.0.8' })).toBe(403)

      const { text, lines } = largeImport()
      const imported = await fetch(`${url}/api/v1/embedded/import`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ text }),
      })
      expect([imported.status, await imported.json()]).toEqual([200, expect.objectContaining({ samples: lines })])
    },
    120_000,
  )
})
