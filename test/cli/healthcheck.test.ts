import { afterEach, expect, test } from 'bun:test'
import { askReady } from '../../src/cli/healthcheck.ts'
import { readConfig } from '../../src/config.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { command, newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

const ask = (port: number, host = '127.0.0.1') => askReady(readConfig({ HOST: host, PORT: String(port) }))

function serving(answer: () => Response): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  closeLater(() => void server.stop(true))
  return Number(server.port)
}

test('a server that is ready is exit code 0, at all addresses too and past a proxy', async () => {
  const nines = await startNines({ dataDir: newFolder() })
  const { port } = new URL(nines.url)
  for (const HOST of ['127.0.0.1', '0.0.0.0']) {
    const env = { HOST, PORT: port, HTTP_PROXY: 'http://127.0.0.1:9' }
    const child = Bun.spawn([...command, 'healthcheck'], { env, stdout: 'pipe', stderr: 'pipe' })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([out, err, code]).toEqual([`ready at http://127.0.0.1:${port}/ready\n`, '', 0])
  }
})

test('nothing that listens is exit code 1, with the reason', async () => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const port = String(server.port)
  await server.stop(true)
  const child = Bun.spawn([...command, 'healthcheck'], { env: { PORT: port }, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([out, err, code]).toEqual([
    '',
    expect.stringContaining(`nines: no answer from http://127.0.0.1:${port}/ready: `),
    1,
  ])
})

test('a server that is not ready says why', async () => {
  const port = serving(() => Response.json({ error: 'Shutting down', details: 'soon gone' }, { status: 503 }))
  expect(await ask(port)).toEqual({
    ready: false,
    isNines: true,
    text: `not ready: http://127.0.0.1:${port}/ready answers 503: Shutting down: soon gone`,
  })
})

test('another program at the port is not nines', async () => {
  expect(await ask(serving(() => new Response('<html>')))).toMatchObject({ ready: false, isNines: false })
})

test('the port of PORT=0 is not known', async () => {
  expect((await ask(0)).text).toContain('set PORT')
})
