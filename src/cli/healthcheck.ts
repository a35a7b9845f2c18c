import { type Config, readConfig } from '../config.ts'
import { clearProxyEnvironment } from '../http/outbound/outbound.ts'
import { addressUrl, socketPathOf } from '../listen-settings.ts'
import type { Settings } from './settings/settings.ts'

const timeoutMs = 5000

/** `nines healthcheck`: asks the running server if it is ready. Exit code 0 if it is, 1 if not. */
export async function healthcheck(settings: Settings): Promise<number> {
  const { ready, text } = await askReady(readConfig(settings.env))
  ;(ready ? process.stdout : process.stderr).write(ready ? `${text}\n` : `nines: ${text}\n`)
  return ready ? 0 : 1
}

/** Requests `/ready` of the server that runs with these settings. `isNines`: nines has answered, ready or not. */
export async function askReady(config: Config): Promise<{ ready: boolean; isNines: boolean; text: string }> {
  const socket = socketPathOf(config.host)
  if (config.port === 0 && socket === null) {
    return { ready: false, isNines: false, text: 'PORT is 0, so the port of the server is not known; set PORT' }
  }
  clearProxyEnvironment(process.env) // fetch would send the request to the proxy
  const url = socket === null ? `${localUrl(config)}/ready` : `${config.host}/ready`
  try {
    const response = await request(socket, url)
    const body = await response.json().catch(() => null)
    const isNines = typeof body === 'object' && body !== null && ('status' in body || 'error' in body)
    const ready = response.status === 200 && isNines && 'status' in body && body.status === 'ready'
    return { ready, isNines, text: ready ? `ready at ${url}` : reasonOf(url, response.status, body) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { ready: false, isNines: false, text: `no answer from ${url}: ${problem}` }
  }
}

function reasonOf(url: string, status: number, body: unknown): string {
  const { error, details } = (body ?? {}) as { error?: unknown; details?: unknown }
  const reasons = [error, details].filter((part) => typeof part === 'string')
  return [`not ready: ${url} answers ${status}`, ...reasons].join(': ')
}

/** Sends the request. A certificate is not verified: it is for the name that people use, and the server is on this machine. */
function request(socket: string | null, url: string): Promise<Response> {
  const options = { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' } as const
  if (socket !== null) return fetch('http://localhost/ready', { ...options, unix: socket })
  return fetch(url, { ...options, tls: { rejectUnauthorized: false } })
}

/** Base URL of the server for a process on the same machine. */
function localUrl(config: Config): string {
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host
  return addressUrl({ ...config, host: local }, config.port)
}
