import { ApiError, send } from '../api/client.ts'
import { pause } from '../api/connection.ts'
import type { Silence } from '../api/history.ts'
import { invalidate, resource } from '../api/resource.ts'
import type { Overview, Slo } from '../api/types.ts'
import { now } from '../clock.ts'
import { plural } from '../format.ts'
import { attempt } from '../ui/action.ts'
import { toast } from '../ui/toast.ts'
import type { SilenceTarget } from './request.ts'
import { silencedText, silencedUntilText } from './words.ts'

const withoutReason = 'No reason given' // the API requires a reason

/** Times of a silence; `startsMs` undefined: it begins now. */
type Times = { startsMs?: number | undefined; untilMs: number }

/**
 * Creates silences, and shows a message with an undo button. If the server refuses one, it ends those already created and
 * throws `ApiError`.
 */
export async function silence(target: SilenceTarget, times: Times, reason = ''): Promise<void> {
  const { startsMs, untilMs } = times
  const scopes = target.sloIds ? target.sloIds.map((slo_id) => ({ slo_id })) : [{ labels: target.labels }]
  const body = {
    ...(startsMs !== undefined && { starts_at: new Date(startsMs).toISOString() }),
    until: new Date(untilMs).toISOString(),
    comment: reason.trim() || withoutReason,
  }
  const made: number[] = []
  try {
    for (const one of scopes) {
      const request = { body: { ...one, ...body } }
      const { data } = await patiently(() => send<{ data: Silence }>('POST', '/notifications/silences', request))
      made.push(data.id)
    }
  } catch (error) {
    await end(made).catch(() => {}) // the first error is the useful one
    throw error
  } finally {
    reread()
  }
  toast(silencedText(nameOf(target), times, now()), { undo: () => void endSilences(made) })
}

/** Silences without a reason; shows the error if the server refuses. */
export async function silenceNow(target: SilenceTarget, untilMs: number): Promise<void> {
  await attempt(() => silence(target, { untilMs }), { failed: 'Not silenced.' })
}

/** Ends silences now, and shows the outcome. */
export async function endSilences(ids: readonly number[]): Promise<void> {
  await attempt(() => end(ids), {
    done: plural(ids.length, 'The silence has ended.', '# silences have ended.'),
    failed: 'The silence goes on.',
    ended: reread,
  })
}

async function end(ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    try {
      await patiently(() => send('DELETE', `/notifications/silences/${id}`))
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error
    }
  }
}

/** Repeats a request that gets 429, which may happen when many are sent. */
async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error
      await pause(1000 * Math.max(1, error.retryAfterSeconds ?? 1))
    }
  }
}

/** Changes the end and the reason of a silence. Throws `ApiError`. */
export async function change(id: number, untilMs: number, reason: string): Promise<void> {
  const body = { until: new Date(untilMs).toISOString(), comment: reason.trim() || withoutReason }
  await send('PUT', `/notifications/silences/${id}`, { body })
  reread()
  toast(silencedUntilText(untilMs, now()))
}

/** Reads everything that shows silences or silenced alerts again. */
function reread(): void {
  invalidate('/notifications/silences')
  invalidate('/notifications/alerts')
  invalidate('/incidents')
  invalidate('/slos/')
}

/** Name of what is silenced, or the number of SLOs; null: an SLO whose name is not known. */
function nameOf({ sloIds, labels }: SilenceTarget): string | number | null {
  if (labels) return labelText(labels)
  if (sloIds.length !== 1) return sloIds.length
  const [sloId] = sloIds
  const { slos = [] } = resource<Overview>('/slos/overview').value.peek() ?? {}
  const slo = slos.find(({ id }) => id === sloId) ?? resource<Slo>(`/slos/${sloId}`).value.peek()
  return slo?.name ?? null
}

export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}
