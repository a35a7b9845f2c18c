import { type Config, readConfig } from '../config.ts'
import { clearProxyEnvironment } from '../http/outbound/outbound.ts'
import type { Settings } from './settings/settings.ts'

const timeoutMs = 5000

/** `nines healthcheck`: asks the running server if it is ready. Exit code 0 if it is, 1 if not. */
export async function healthcheck(settings: Settings): Promise<number> {
  const { ready, text } = await askReady(readConfig(settings.env))
  ;(ready ? process.stdout : process.stderr).write(ready ? `${text}\n` : `nines: ${text}\n`)
  return ready ? 0 : 1
}

/** Asks the server that these settings start for `/ready`. `isNines`: nines has answered, ready or not. */
export async function askReady(config: Config): Promise<{ ready: boolean; isNines: boolean; text: string }> {
  if (config.port === 0) {
    return { ready: false, isNines: false, text: 'PORT is 0, so the port of the server is not known; set PORT' }
  }
  clearProxyEnvironment(process.env) // fetch would send the request to the proxy
  const url = `${localUrl(config)}/ready`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' })
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

/** Base URL of the server for a process on the same machine. */
function localUrl({ host, port }: Config): string {
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${local.includes(':') ? `[${local}]` : local}:${port}`
}
