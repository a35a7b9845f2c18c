import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { askReady } from '../../src/cli/healthcheck.ts'
import { checkPort, checkTls } from '../../src/cli/doctor/machine-checks.ts'
import { readConfig } from '../../src/config.ts'
import { closeAll } from '../support/closing.ts'
import { makeCertificate } from '../support/make-certificate.ts'
import { launch, newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

const dayMs = 86_400_000
const newCertificate = (name: string) =>
  makeCertificate({ names: [name, 'localhost'], fromMs: Date.now() - dayMs, untilMs: Date.now() + 90 * dayMs })

/** Settings for TLS; `write` replaces the files. */
function tlsSettings(name = 'first.test') {
  const folder = newFolder()
  const env = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') }
  const write = ({ cert, key }: { cert: string; key: string }) => {
    writeFileSync(env.TLS_CERT, cert)
    writeFileSync(env.TLS_KEY, key)
  }
  write(newCertificate(name))
  return { env, write }
}

const trusting = { tls: { rejectUnauthorized: false } } // these certificates sign themselves

/** Subject of the certificate that a new connection gets. */
function subjectAt(port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject?.CN)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

/** Opens a live connection over TLS; `closed` resolves to its close code. */
async function openLive(url: string, token: string) {
  const address = `${url.replace('https:', 'wss:')}/api/v1/ws/subscribe`
  const options = { ...trusting, headers: { authorization: `Bearer ${token}` } }
  const socket = new WebSocket(address, options as unknown as string[])
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('no live connection')))
  })
  const ask = (message: unknown): Promise<unknown> => {
    const answer = new Promise<unknown>((resolve) =>
      socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data))), { once: true }),
    )
    socket.send(JSON.stringify(message))
    return answer
  }
  return { closed, ask }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

describe('with TLS_CERT and TLS_KEY', () => {
  test('requests, cookies, links, live connections and the health check are those of HTTPS', async () => {
    const { env } = tlsSettings()
    const nines = await startNines({ dataDir: newFolder(), env })
    expect(nines.url).toMatch(/^https:/)
    const { port } = new URL(nines.url)
    const account = { email: 'ada@example.com', name: 'Ada', password: 'correct horse', organization_name: 'Ada Inc' }
    const send = (path: string, body: unknown) =>
      fetch(`${nines.url}/api/v1${path}`, {
        ...trusting,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-nines-session': 'cookie' },
        body: JSON.stringify(body),
      })
    expect((await send('/auth/register', account)).status).toBe(201)
    const signedIn = await send('/auth/login', { email: account.email, password: account.password })
    const { access_token: token } = (await signedIn.json()) as { access_token: string }
    expect(signedIn.headers.get('set-cookie')).toMatch(/; Secure$/)
    expect(nines.log()).toContain(`"url":"https://127.0.0.1:${port}/register#setup_token=`)
    const live = await openLive(nines.url, token)
    expect(await live.ask({ type: 'no such type' })).toMatchObject({ type: 'error' })
    expect(await askReady(readConfig({ ...env, PORT: port }))).toMatchObject({ ready: true })
    expect(await checkPort(readConfig({ ...env, PORT: port }))).toMatchObject([{ level: 'ok' }])
    expect(checkTls(readConfig(env), Date.now())).toMatchObject([{ check: 'certificates', level: 'ok' }])
    expect(await fetch(nines.url.replace('https', 'http')).catch(() => 'refused')).toBe('refused')
  })

  test('a renewed certificate is served after SIGHUP, and what was connected stays connected', async () => {
    const { env, write } = tlsSettings('first.test')
    const nines = await startNines({ dataDir: newFolder(), env })
    const port = Number(new URL(nines.url).port)
    const register = await fetch(`${nines.url}/api/v1/auth/register`, {
      ...trusting,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email: 'a@example.com',
        name: 'A',
        password: 'correct horse',
        organization_name: 'A Inc',
      }),
    })
    const { access_token: token } = (await register.json()) as { access_token: string }
    const live = await openLive(nines.url, token)
    expect(await subjectAt(port)).toBe('first.test')
    write(newCertificate('second.test'))
    nines.kill('SIGHUP')
    await nines.said(/TLS certificate renewed/)
    expect(await subjectAt(port)).toBe('second.test')
    expect(await live.ask({ type: 'no such type' })).toMatchObject({ type: 'error' })
    const again = await openLive(nines.url, token)
    write({ ...newCertificate('third.test'), key: 'rubbish' })
    nines.kill('SIGHUP')
    await nines.said(/"condition began".*tls_certificate/)
    expect(await subjectAt(port)).toBe('second.test')
    nines.kill('SIGTERM')
    expect([await live.closed, await again.closed, await nines.exited]).toEqual([1001, 1001, 0])
  })

  test('HTTP_REDIRECT_PORT sends every request to HTTPS with 308, the health check too', async () => {
    const port = await freePort()
    const { env } = tlsSettings()
    const nines = await startNines({ dataDir: newFolder(), env: { ...env, HTTP_REDIRECT_PORT: String(port) } })
    for (const [method, path] of [
      ['GET', '/slos?label=a%3Db'],
      ['POST', '/api/v1/slos'],
      ['GET', '/ready'],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([308, `${nines.url}${path}`])
    }
    const checked = await checkPort(readConfig({ ...env, PORT: '0', HTTP_REDIRECT_PORT: String(port) }))
    expect(checked.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining('HTTP_REDIRECT_PORT') })
  })

  test.each([
    ['TLS_CERT alone', { TLS_CERT: '/x' }, 'TLS_CERT and TLS_KEY: both must be set, or none'],
    ['a redirect without TLS', { HTTP_REDIRECT_PORT: '80' }, 'HTTP_REDIRECT_PORT: there is nothing to redirect to'],
    [
      'a redirect at the same port',
      { TLS_CERT: '/x', TLS_KEY: '/y', PORT: '8443', HTTP_REDIRECT_PORT: '8443' },
      'HTTP_REDIRECT_PORT: must be another port than PORT',
    ],
    ['TLS on a socket', { TLS_CERT: '/x', TLS_KEY: '/y', HOST: 'unix:/s' }, 'TLS_CERT: must not be set where HOST'],
    ['a socket by a relative path', { HOST: 'unix:nines.sock' }, 'HOST: unix: must be followed by an absolute path'],
    ['a path that is too long', { HOST: `unix:/${'x'.repeat(107)}` }, 'at most 107 bytes'],
    ['a mode that is none', { SOCKET_MODE: '0999' }, 'SOCKET_MODE: must be three octal digits'],
  ])('%s is refused', (_, env, message) => {
    expect(() => readConfig(env as Record<string, string>)).toThrow(message)
  })
})

describe('with HOST=unix:/path', () => {
  const get = (path: string, socket: string, headers = {}) =>
    fetch(`http://localhost${path}`, { unix: socket, headers })

  test('nines listens there with SOCKET_MODE, answers the health check, and removes the socket at its end', async () => {
    const socket = join(newFolder(), 'nines.sock')
    const env = { HOST: `unix:${socket}`, SOCKET_MODE: '0600' }
    const nines = launch({ dataDir: newFolder(), env })
    await nines.said(/is listening on unix:/)
    await nines.said(/set PUBLIC_URL/)
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    expect((await get('/ready', socket)).status).toBe(200)
    expect(await askReady(readConfig(env))).toMatchObject({ ready: true, text: `ready at unix:${socket}/ready` })
    expect(await checkPort(readConfig(env))).toMatchObject([{ level: 'ok', message: expect.stringContaining('ready') }])
    nines.kill('SIGTERM')
    expect(await nines.exited).toBe(0)
    expect(existsSync(socket)).toBe(false)
    expect(await askReady(readConfig(env))).toMatchObject({ ready: false })
  })

  test('a request through it is of no person at the machine: the first account needs the setup token', async () => {
    const socket = join(newFolder(), 'nines.sock')
    const nines = launch({ dataDir: newFolder(), env: { HOST: `unix:${socket}`, REGISTRATION: 'invite' } })
    await nines.said(/setup_token/)
    const account = { email: 'a@example.com', name: 'A', password: 'correct horse', organization_name: 'A Inc' }
    const register = (body: object) =>
      fetch('http://localhost/api/v1/auth/register', {
        unix: socket,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await register(account)).status).toBe(403)
    const setup_token = /setup_token":"([^"]+)"/.exec(nines.log())?.[1]
    expect((await register({ ...account, setup_token })).status).toBe(201)
  })

  test('a socket that a kill left is replaced', async () => {
    const socket = join(newFolder(), 'nines.sock')
    const dataDir = newFolder()
    const env = { HOST: `unix:${socket}` }
    const killed = launch({ dataDir, env })
    await killed.said(/is listening on/)
    killed.kill('SIGKILL')
    await killed.exited
    expect(existsSync(socket)).toBe(true)
    expect(await checkPort(readConfig(env))).toMatchObject([{ level: 'ok' }])
    const nines = launch({ dataDir, env })
    await nines.said(/is listening on/)
    expect((await get('/ready', socket)).status).toBe(200)
  })

  test('a second nines is refused, and the first goes on', async () => {
    const socket = join(newFolder(), 'nines.sock')
    const env = { HOST: `unix:${socket}` }
    await launch({ dataDir: newFolder(), env }).said(/is listening on/)
    const second = launch({ dataDir: newFolder(), env })
    expect(await second.exited).toBe(1)
    expect(second.log()).toContain(`another process listens on ${socket}; end it, or set HOST to another path`)
    expect((await get('/ready', socket)).status).toBe(200)
  })

  test('a file that is no socket stays, and the start says so', async () => {
    const path = join(newFolder(), 'nines.sock')
    writeFileSync(path, 'mine')
    const nines = launch({ dataDir: newFolder(), env: { HOST: `unix:${path}` } })
    expect(await nines.exited).toBe(1)
    expect(nines.log()).toContain(`${path} is no socket; remove it, or set HOST to another path`)
    expect(await Bun.file(path).text()).toBe('mine')
    expect(await checkPort(readConfig({ HOST: `unix:${path}` }))).toMatchObject([{ level: 'error' }])
  })
})
