// Tests the executable as a new user runs it: in an empty folder, with an empty environment and no node_modules.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../package.json'
import { countedSlo, countingScript } from '../test/support/counting-source.ts'
import { fakeSource } from '../test/support/fake-source.ts'
import { ada, browserOf, TestProvider } from '../test/support/test-provider.ts'

const nines = join(import.meta.dir, '..', 'dist', 'nines')
const bounds = { startMs: 300, idleMb: 120, demoMb: 300 }
const account = { email: 'ada@example.org', name: 'Ada', password: 'a-long-password', organization_name: 'Example' }
const timeoutMs = 60_000 // the demo is made before nines listens

const source = fakeSource(countingScript({ checkout: { total: 10, bad: 0.005 } }))
const first = await start()
try {
  await mainJob(first.url, source.url)
  await Bun.sleep(1000) // "idle" is measured after the work
  report('idle memory', residentMb(first.pid), bounds.idleMb, 'MB')
  await reference(first.url)
} finally {
  await first.stop()
  source.close()
}
expect(readdirSync(first.folder).join() === 'data', 'the executable writes into ./data only')
expect(existsSync(join(first.folder, 'data', 'samples.db')), 'the samples have a file of their own')
await importing(first.folder)
await demo()
await signInByProvider()

const startTimesMs = [first.startMs]
while (startTimesMs.length < 5) {
  const again = await start()
  startTimesMs.push(again.startMs)
  await again.stop()
}
report('start, median of 5', startTimesMs.toSorted((a, b) => a - b)[2], bounds.startMs, 'ms')

expect((await output(['version'])).includes(version), `nines version prints ${version}`)
expect(/serve[^]*demo[^]*import[^]*config[^]*version/.test(await output(['help'])), 'nines help names the commands')
expect(/^ {2}Bun \d[^]*^ {2}SQLite \d/m.test(await output(['licenses'])), 'nines licenses names what is inside')
const unpackable = Bun.spawnSync([nines], { cwd: newFolder(), env: { BUN_TMPDIR: '/nowhere/at/all' } })
expect(unpackable.stderr.toString().includes('/nowhere/at/all'), 'the start names a temporary directory that is none')
const secret = 'kept-out-of-sight-'.repeat(3)
const settings = await output(['config'], { JWT_SECRET: secret })
expect(settings.includes('JWT_SECRET') && !settings.includes(secret), 'nines config masks secrets')
console.log('smoke test passed')

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nines-smoke-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Starts nines, in a new folder if none is given. `startMs`: time from spawn to the first 200 of `/health`. `stop` sends
 * SIGTERM and expects exit code 0.
 */
async function start(args: string[] = [], folder = newFolder(), settings: Record<string, string> = {}) {
  const env = { PORT: '0', OUTBOUND_ALLOW: '127.0.0.0/8,::1/128', ...settings }
  const began = performance.now()
  const child = Bun.spawn([nines, ...args], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
  process.once('exit', () => child.kill('SIGKILL'))
  let said = ''
  const hear = (text: string) => void (said += text)
  const url = await inTime(
    'the start line',
    Promise.any([addressIn(child.stdout, hear), addressIn(child.stderr, hear)]),
  )
  await inTime('/health', healthy(url))
  const startMs = performance.now() - began
  const stop = async () => {
    child.kill('SIGTERM')
    const code = await inTime('the end after SIGTERM', child.exited)
    expect(code === 0, `SIGTERM ends the server with exit code 0 (got ${code})`)
  }
  return { folder, pid: child.pid, url, startMs, stop, said: () => said }
}

/** Address from the start line. Keeps reading the stream afterwards, so that the program never waits for a full pipe. */
async function addressIn(stream: ReadableStream<Uint8Array>, hear: (text: string) => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  const read = async () => {
    for await (const chunk of stream) {
      const more = Buffer.from(chunk).toString()
      hear(more)
      text += more
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      if (address) resolve(address)
    }
    throw new Error(`the server ended without a start line: ${text}`)
  }
  return Promise.race([promise, read()])
}

async function healthy(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health`).catch(() => null)
    if (answer?.status === 200) return
    await Bun.sleep(1)
  }
}

function callerOf(url: string) {
  return async (status: number, method: string, path: string, token?: unknown, body?: object) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    expect(answer.status === status, `${method} ${path} answers ${status} (got ${answer.status}: ${text})`)
    return JSON.parse(text) as Record<string, unknown>
  }
}

async function mainJob(url: string, sourceUrl: string): Promise<void> {
  const slo = countedSlo('checkout')
  const call = callerOf(url)
  const { access_token: token } = await call(201, 'POST', '/auth/register', undefined, account)
  await call(201, 'POST', '/tsdb/sources', token, { name: 'fake', api_url: sourceUrl, is_default: true })
  const { id } = await call(201, 'POST', '/slos', token, slo)
  const stored = await call(200, 'GET', `/slos/${id}`, token)
  expect(stored.name === slo.name && stored.total_query === slo.total_query, 'the SLO reads back as it was written')
  const answers = (path: string, isSo: (answer: Record<string, unknown>) => boolean) =>
    until(async () => isSo(await call(200, 'GET', `/slos/${id}${path}`, token)))
  const isWell = ({ status, sli }: Record<string, unknown>) =>
    status === 'healthy' && Math.abs(Number(sli) - 99.95) < 1e-6
  await inTime('the first evaluation', answers('/budget', isWell))
  await inTime(
    'the end of the backfill',
    answers('/backfill', ({ status }) => status === 'done'),
  )
}

/** Imports history from a file; the next start finds it in the embedded source of the only organization. */
async function importing(folder: string): Promise<void> {
  const file = join(newFolder(), 'past.om')
  const atSeconds = Math.floor(Date.now() / 1000) - 60
  writeFileSync(file, `tiny_total 1 ${atSeconds - 60}\ntiny_total 3 ${atSeconds}\n# EOF\n`)
  const summary = await output(['import', file], { DATA_DIR: join(folder, 'data') })
  expect(summary.startsWith('imported 2 samples of 1 series into Example '), `nines import imports (said: ${summary})`)
  const again = await start([], folder)
  await expectValue(again.url, account, 'tiny_total', (value) => value === 3)
  await again.stop()
}

/** Starts the demo twice: SLOs and samples must be there; the second start keeps the account, with a new login link. */
async function demo(): Promise<void> {
  const shown = await start(['demo'])
  const password = () => /password +(\S+)/.exec(shown.said())?.[1]
  const began = performance.now()
  await inTime(
    'the demo',
    until(() => password() !== undefined),
  )
  console.log(`the demo is seeded after ${(performance.now() - began + shown.startMs).toFixed(0)} ms`)
  const visitor = { email: 'demo@example.com', password: password() ?? '' }
  await expectValue(shown.url, visitor, 'sum(rate(shop_requests_total[5m]))', (value) => value > 1)
  const call = callerOf(shown.url)
  const linked = (said: string) => ({ token: /\/demo-login#(\S+)/.exec(said)?.[1] ?? '' })
  const { access_token: token } = await call(200, 'POST', '/auth/demo-login', undefined, linked(shown.said()))
  await call(401, 'POST', '/auth/demo-login', undefined, linked(shown.said())) // once
  const statuses = async () => JSON.stringify((await call(200, 'GET', '/tsdb/real-time-metrics', token)).metrics)
  const areThere = async () => (await statuses()).split('"status":"healthy"').length > 3
  await inTime('what the demo shows', until(areThere))
  expect((await statuses()).includes('"slo_name":"Checkout answers"'), 'the demo has SLOs')
  report('memory of the demo', residentMb(shown.pid), bounds.demoMb, 'MB')
  await shown.stop()
  const again = await start(['demo'], shown.folder)
  await inTime(
    'the same demo',
    until(() => again.said().includes(visitor.password)),
  )
  await callerOf(again.url)(401, 'POST', '/auth/demo-login', undefined, linked(shown.said()))
  const { access_token: later } = await callerOf(again.url)(
    200,
    'POST',
    '/auth/demo-login',
    undefined,
    linked(again.said()),
  )
  const { probes } = await callerOf(again.url)(200, 'GET', '/embedded/probes', later)
  expect(JSON.stringify(probes).includes(`${again.url}/health`), 'the demo probes nines where it listens this time')
  await again.stop()
}

/** Signs in by an OpenID provider, as a browser does. */
async function signInByProvider(): Promise<void> {
  const provider = await TestProvider.start()
  const server = await start([], newFolder(), provider.env)
  provider.serve(server.url)
  const browser = browserOf(server.url, provider)
  const { location } = await browser.signIn(ada)
  expect(location.endsWith('#signed-in'), `the provider signs in (sent on to: ${location})`)
  const { body } = await browser.refresh()
  expect(body.user?.role === 'admin', 'the first person of the provider administers nines')
  await server.stop()
  provider.close()
}

/** Queries the embedded source as Grafana does. */
async function expectValue(url: string, who: object, query: string, isSo: (value: number) => boolean): Promise<void> {
  const { access_token: token } = await callerOf(url)(200, 'POST', '/auth/login', undefined, who)
  const asked = `${url}/embedded/prometheus/api/v1/query?query=${encodeURIComponent(query)}`
  const text = await (await fetch(asked, { headers: { authorization: `Bearer ${token}` } })).text()
  const value = Number(/"value":\[[\d.]+,"([^"]+)"\]/.exec(text)?.[1])
  expect(isSo(value), `the embedded source answers ${query} (said: ${text})`)
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(300) // an address may send 100 requests at once
}

/** Checks that the API reference and the page need no files, and that the page has nothing of development. */
async function reference(url: string): Promise<void> {
  for (const path of ['/openapi.json', '/docs', '/docs/start.js', '/docs/swagger-ui.css', '/docs/swagger-ui.js']) {
    const answer = await fetch(`${url}${path}`)
    expect(answer.status === 200 && (await answer.text()).length > 100, `${path} is served`)
  }
  const page = await (await fetch(`${url}/`)).text()
  expect(page.includes('/assets/main-') && !page.includes('/dev/'), 'the page is served, as a release has it')
  for (const path of new Set(page.match(/\/assets\/[\w.-]+/g))) {
    const all = ['identity', 'gzip', 'br'].map(async (encoding) => {
      const answer = await fetch(url + path, { headers: { 'accept-encoding': encoding } })
      return Bun.SHA256.hash(await answer.arrayBuffer(), 'hex')
    })
    expect(new Set(await Promise.all(all)).size === 1, `${path} is the same in every encoding`)
  }
  expect((await fetch(`${url}/dev/reload`)).status === 404, 'the executable has nothing of development')
}

async function output(args: string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([nines, ...args], { cwd: tmpdir(), env, stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  expect((await child.exited) === 0, `nines ${args.join(' ')} succeeds`)
  return text
}

/** Resident memory in MiB; `undefined` without /proc. */
function residentMb(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

/** Prints a measurement. Exceeding its bound only warns, because speed depends on the machine and its load. */
function report(what: string, value: number | undefined, bound: number, unit: string): void {
  if (value === undefined) return
  const line = `${what}: ${value.toFixed(0)} ${unit} (bound: ${bound} ${unit})`
  console.log(value > bound ? `WARNING, over the bound: ${line}` : line)
}

async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what} did not come within ${timeoutMs} ms`)), timeoutMs)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer)) // a pending timer would hold up the end
}

function expect(holds: boolean, promise: string): void {
  if (!holds) throw new Error(`broken promise: ${promise}`)
}
