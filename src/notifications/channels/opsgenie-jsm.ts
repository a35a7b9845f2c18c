import { setTimeout as pause } from 'node:timers/promises'
import type { Outcome } from './channel.ts'
import { at, type exchange, type HttpRequest } from './http.ts'

export type Exchanged = Awaited<ReturnType<typeof exchange>>

/** Requests with the credentials; paths are those below all alerts. */
export type Api = {
  ask(path: string, request: HttpRequest): Promise<Exchanged>
  outcomeOf(result: Exchanged): Outcome
  /** Posts, and assesses the answer. */
  post(path: string, json?: unknown): Promise<Outcome>
}

/**
 * Closes the alert with an alias in Jira Service Management, which closes by id only, and documents no body. Where
 * none is open there is nothing to do: somebody has closed it, and that is `delivered`, with a note. An alert shows a
 * moment after it was taken, and its recovery may follow at once when both waited for the receiver to come back; so
 * where none is found it is looked for once more, `againMs` later.
 */
export async function closeByAlias(api: Api, alias: string, againMs: number, signal: AbortSignal): Promise<Outcome> {
  const first = await openAlert(api, alias)
  if (first !== 'none') return close(first)
  await pause(againMs, undefined, { signal }).catch(() => undefined) // an abort is told by the next request
  const second = await openAlert(api, alias)
  if (second !== 'none') return close(second)
  return { outcome: 'delivered', statusCode: 404, note: 'there is no open alert with this alias: nothing to close' }

  async function close(found: { id: string } | { other: Outcome }): Promise<Outcome> {
    return 'other' in found ? found.other : api.post(`/${encodeURIComponent(found.id)}/close`)
  }
}

async function openAlert(api: Api, alias: string): Promise<{ id: string } | { other: Outcome } | 'none'> {
  const result = await api.ask(`/alias?alias=${encodeURIComponent(alias)}`, { method: 'GET' })
  if ('broken' in result) return { other: result.broken }
  const { status, json } = result.answer
  if (status === 404) return 'none'
  if (status < 200 || status >= 300) return { other: api.outcomeOf(result) }
  const id = at(json, 'id')
  if (typeof id !== 'string') {
    return { other: { outcome: 'failed', statusCode: status, error: 'the receiver named no id of the alert to close' } }
  }
  return at(json, 'status') === 'closed' ? 'none' : { id }
}
