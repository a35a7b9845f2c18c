import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dir, '..', '..')

/** A server under measurement, and how to end it. */
export type Running = { url: string; pid: number; stop(): Promise<void> }

/** Starts a command and takes the first URL it prints as its own. */
async function start(command: string[], env: Record<string, string>): Promise<Running> {
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'inherit' })
  const stop = async () => {
    child.kill()
    await child.exited
  }
  let said = ''
  for await (const chunk of child.stdout) {
    said += Buffer.from(chunk).toString()
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
    if (url) return { url, pid: child.pid, stop }
  }
  throw new Error(`${command.join(' ')} ended: ${said}`)
}

/** nines in a folder of its own: the executable that `NINES_BIN` names, else `dist/nines`. */
export async function startNines(env: Record<string, string>): Promise<Running> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const binary = process.env['NINES_BIN'] ?? join(root, 'dist', 'nines')
  const command = ['sh', '-c', 'exec "$0" 2>&1', binary]
  const running = await start(command, { PORT: '0', DATA_DIR: dataDir, ...env })
  return {
    ...running,
    async stop() {
      await running.stop()
      rmSync(dataDir, { recursive: true })
    },
  }
}

export function startBare(...args: string[]): Promise<Running> {
  return start([process.execPath, join(import.meta.dir, 'bare-server.ts'), ...args], {})
}

/** A real Prometheus with `days` of the kit's data, which end at `now` (Unix seconds). */
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

/** Registers an account and gives a function that sends JSON with its token. */
export async function signUp({ url }: Running) {
  const account = { email: 'bench@example.com', name: 'Bench', password: 'correct horse battery' }
  let token = ''
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const response = await fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const answer = (await response.json()) as { id: number; access_token: string }
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
  token = (await send('POST', '/api/v1/auth/register', account)).access_token
  return { token, send }
}
