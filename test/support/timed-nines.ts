import { join } from 'node:path'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import type { Answer } from './app.ts'

export type EvaluatedMinute = { timeMs: number; evaluations: Evaluation[] }

/** nines as a child process whose clock is set from outside and which can be killed. */
export type TimedNines = {
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** Sets the clock, evaluates all SLOs and delivers due notifications; null if it was killed before it finished. */
  evaluateAt(timeMs: number): Promise<Evaluation[] | null>
  kill(): Promise<void>
}

type Options = { dataDir: string; nowMs: number; env: Record<string, string>; token?: string }

/** Starts it on a data folder and waits until it listens. */
export async function startTimedNines({ dataDir, nowMs, env, token = '' }: Options): Promise<TimedNines> {
  const listening = Promise.withResolvers<string>()
  const waiting = new Map<number, (evaluations: Evaluation[] | null) => void>()
  const usual = { RATE_LIMIT_PER_IP: '0', RATE_LIMIT_GLOBAL: '0', OUTBOUND_ALLOW: '127.0.0.0/8,::1/128' }
  const settings = { ...usual, LOG_LEVEL: 'warn', ...env }
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'nines-at.ts')], {
    env: { ...settings, DATA_DIR: dataDir, NOW_MS: String(nowMs) },
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc(message: EvaluatedMinute | { url: string }) {
      if ('url' in message) listening.resolve(message.url)
      else waiting.get(message.timeMs)?.(message.evaluations)
    },
  })
  const ended = async () => {
    listening.reject(new Error(`nines ended with code ${await child.exited}`))
    for (const resolve of waiting.values()) resolve(null)
  }
  void ended()
  const url = await listening.promise
  return {
    async call(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
    },
    evaluateAt(timeMs) {
      const { promise, resolve } = Promise.withResolvers<Evaluation[] | null>()
      waiting.set(timeMs, resolve)
      child.send(timeMs)
      return promise
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
