import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dir, '..', '..', '..')

/** Server process under measurement. */
export type Running = { url: string; pid: number; stop(): Promise<void> }

/** Starts a command and waits for the first address that it prints. Later output is read and dropped. */
async function start(command: string[], env: Record<string, string>): Promise<Running & { said: string }> {
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'inherit' })
  const stop = async () => {
    child.kill()
    await child.exited
  }
  const listening = Promise.withResolvers<Running & { said: string }>()
  const read = async () => {
    let said = ''
    for await (const chunk of child.stdout) {
      said = said.length > 10_000 ? said : said + Buffer.from(chunk).toString()
      const address = /127\.0\.0\.1:\d+/.exec(said)?.[0]
      if (address) listening.resolve({ url: `http://${address}`, pid: child.pid, stop, said })
    }
    listening.reject(new Error(`${command.join(' ')} ended: ${said}`))
  }
  void read()
  return listening.promise
}

/** Turns off rate limits, which a load generator exceeds; the benchmark of the limits sets its own. */
export const noLimits = {
  RATE_LIMIT_PER_IP: '0',
  RATE_LIMIT_GLOBAL: '0',
  INGEST_RATE_LIMIT: '0',
  OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
}

/** Starts nines in a new folder, or the one that `env` names; the folder is removed at the end. */
export async function startNines(env: Record<string, string>): Promise<Running> {
  const dataDir = env['DATA_DIR'] ?? mkdtempSync(join(tmpdir(), 'nines-bench-'))
  return startIn(dataDir, [executable()], { PORT: '0', DATA_DIR: dataDir, ...noLimits, ...env })
}

/** Starts nines in a folder that is kept when nines stops. */
export function startNinesIn(dataDir: string, env: Record<string, string>): Promise<Running> {
  return start(['sh', '-c', 'exec "$0" 2>&1', executable()], { PORT: '0', ...noLimits, ...env, DATA_DIR: dataDir })
}

/** Path of the executable: `NINES_BIN`, or `dist/nines`. */
export function executable(): string {
  return process.env['NINES_BIN'] ?? join(root, 'dist', 'nines')
}

const mergingOutput = (command: string[]) => ['sh', '-c', 'exec "$0" "$@" 2>&1', ...command]

/** Starts a command that writes into a folder, which is removed when the command is stopped. */
async function startIn(dir: string, command: string[], env: Record<string, string>): Promise<Running> {
  const running = await start(mergingOutput(command), env)
  return {
    ...running,
    async stop() {
      await running.stop()
      rmSync(dir, { recursive: true })
    },
  }
}

/** Starts `rivals/fastify.mjs`; arguments: the JWT secret, a copy of the database. */
export async function startFastify(...args: string[]): Promise<Running> {
  return start(['node', join(await installRivals(), 'fastify.mjs'), ...args], { PATH: process.env['PATH'] ?? '' })
}

/** Installs the packages of the competitors outside the repository, again if the lock file has changed; returns the folder. */
async function installRivals(): Promise<string> {
  const from = join(import.meta.dir, '..', 'rivals')
  const to = join(homedir(), '.cache', 'nines-rivals')
  const lock = join(to, 'node_modules', 'package-lock.json')
  const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  cpSync(from, to, { recursive: true })
  if (textOf(lock) === textOf(join(from, 'package-lock.json'))) return to
  const install = Bun.spawn(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: to, stdout: 'ignore' })
  if ((await install.exited) !== 0) throw new Error('the rivals could not be installed: npm and python3 are needed')
  cpSync(join(from, 'package-lock.json'), lock)
  return to
}

/** Starts `bare-server.ts`; arguments: the JWT secret, the JSON of its responses, a copy of the database. */
export function startBare(...args: string[]): Promise<Running> {
  return start([process.execPath, join(import.meta.dir, '..', 'read', 'bare-server.ts'), ...args], {})
}

/** Starts a Bun program that listens and does nothing more. */
export function startHello(): Promise<Running> {
  const script =
    "const s = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') }); console.log(s.url.host)"
  return start([process.execPath, '-e', script], {})
}

/** Starts `floor-server.ts`: durable inserts, with a group commit and one at a time. */
export function startFloor(): Promise<Running> {
  return start([process.execPath, join(import.meta.dir, '..', 'write', 'floor-server.ts')], {})
}

/** Starts `guard-server.ts`: a route in three servers, and a token for it. */
export async function startGuards() {
  const { said, pid, stop } = await start(
    [process.execPath, join(import.meta.dir, '..', 'read', 'guard-server.ts')],
    {},
  )
  const printed = JSON.parse(said) as Record<'bare' | 'guarded' | 'limited' | 'token', string>
  return { ...printed, pid, stop }
}

/** Starts Debian's Alertmanager with this configuration, in a new folder. */
export async function startAlertmanager(configuration: object): Promise<Running> {
  const program = Bun.which('prometheus-alertmanager')
  if (!program) throw new Error('no Alertmanager: apt-get install prometheus-alertmanager')
  const dir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const file = join(dir, 'alertmanager.yml')
  writeFileSync(file, JSON.stringify(configuration)) // JSON is YAML too
  const settings = [`--config.file=${file}`, `--storage.path=${join(dir, 'data')}`, '--cluster.listen-address=']
  return startIn(dir, [program, ...settings, '--web.listen-address=127.0.0.1:0'], {})
}

/** Starts a real Prometheus with `days` of the kit's data, which end at `now` (Unix seconds). */
export async function startPrometheus(days: number): Promise<{ url: string; now: number; stop(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const bed = (...args: string[]) =>
    Bun.spawn([join(root, 'test', 'kit', 'bed.sh'), ...args], {
      env: { ...process.env, WITHOUT: 'victoria' },
      stdout: 'ignore',
      stderr: 'ignore',
    }).exited
  if ((await bed('up', dir, String(days))) !== 0) throw new Error('no Prometheus: install prometheus and python3')
  const { prometheus, now } = (await Bun.file(join(dir, 'bed.json')).json()) as { prometheus: string; now: number }
  return {
    url: prometheus,
    now,
    async stop() {
      await bed('down', dir)
      rmSync(dir, { recursive: true })
    },
  }
}

/** Destination of requests: an address, or nines in this process. */
type Reachable = { url: string; handle?: (request: Request) => Promise<Response> }

export const account = { email: 'bench@example.com', name: 'Bench', password: 'correct horse battery' }

/** Registers an account; returns its token, and a function that sends JSON with it. */
export async function signUp(nines: Reachable, as = account) {
  const { access_token: token } = await senderTo(nines, '')('POST', '/api/v1/auth/register', as)
  return { token, send: senderTo(nines, token) }
}

/** Fields of responses that benchmarks read. */
type Answer = { id: number; token: string; access_token: string; data: Record<string, number> }

/** Returns a function that sends JSON with a token; it throws if the response is not 2xx. */
export function senderTo({ url, handle = fetch }: Reachable, token: string) {
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const response = await handle(new Request(`${url}${path}`, init))
    const answer = (await response.json()) as Answer
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
}
