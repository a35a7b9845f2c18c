import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createServer } from '../../../src/server.ts'
import { account } from './nines.ts'

export type FromEditorServer = { url: string }

/** nines whose embedded source has so many metrics, given as an argument, each with its type and a help text. */
async function serve(metrics: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  process.once('SIGTERM', () => process.exit(0))
  const noLimits = { RATE_LIMIT_PER_IP: '0', RATE_LIMIT_GLOBAL: '0', OUTBOUND_ALLOW: '127.0.0.0/8' }
  const app = openApp(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error', ...noLimits }))
  const server = createServer(app)
  server.listen({ hostname: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${server.server?.port}`
  const send = async <T>(method: string, path: string, token: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const setup = { setup_token: app.setupToken.secret() }
  const { access_token: token } = await send<{ access_token: string }>('POST', '/auth/register', '', {
    ...account,
    ...setup,
  })
  const exposed = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(expositionOf(metrics)) })
  await send('POST', '/embedded/targets', token, { name: 'many', url: exposed.url.href, interval_seconds: 60 })
  const names = `/tsdb/sources/1/prometheus/api/v1/label/__name__/values?${new URLSearchParams({ 'match[]': '{job="many"}' })}`
  for (;;) {
    app.collector.tick()
    const { data } = await send<{ data: string[] }>('GET', names, token)
    if (data.length >= metrics) break
    await Bun.sleep(200)
  }
  process.send?.({ url } satisfies FromEditorServer)
}

function expositionOf(metrics: number): string {
  return Array.from({ length: metrics }, (_, at) => {
    const name = `service_${at % 100}_requests_of_kind_${at}_total`
    return `# HELP ${name} Requests of the kind ${at} that the service ${at % 100} has answered since it was started.\n# TYPE ${name} counter\n${name}{code="200"} ${at}\n`
  }).join('')
}

if (import.meta.main) await serve(Number(process.argv[2]))
