import { signal } from '@preact/signals'
import { send } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import type { BulkAnswer, BulkRequest, OverviewSlo } from '../api/types.ts'
import { asSentence, plural } from '../format.ts'
import { attempt } from '../ui/action.ts'
import { toast } from '../ui/toast.ts'

type Named = Pick<OverviewSlo, 'id' | 'name'>
type Operation = Omit<BulkRequest, 'ids' | 'filter'>

const maxIds = 500 // of one request

/** Operation on `of` SLOs, and those that it could not change. */
type Refused = { what: string; of: number; slos: { id: number; name: string; why: string }[] }

/** Refused SLOs of the last operation; null: none. */
export const refused = signal<Refused | null>(null)

export function countOf(n: number): string {
  return plural(n, '# SLO', '# SLOs')
}

type Change = {
  /** Change in words, as in `3 SLOs: paused.` */
  what: string
  operation: Operation
  slos: readonly Named[]
  /** Reverts the change of these SLOs. */
  undo?: (slos: readonly Named[]) => void
}

/**
 * Changes SLOs by one request, shows how many were changed, with an undo button, and keeps those of several that were refused in
 * `refused`. Returns false if the request was refused as a whole.
 */
export async function changeInBulk({ what, operation, slos, undo }: Change): Promise<boolean> {
  refused.value = null
  const results: BulkAnswer['results'] = []
  const work = async () => {
    for (let from = 0; from < slos.length; from += maxIds) {
      const ids = slos.slice(from, from + maxIds).map(({ id }) => id)
      results.push(...(await send<BulkAnswer>('POST', '/slos/bulk', { body: { ...operation, ids } })).results)
    }
  }
  const ended = () => invalidate(operation.action === 'add_rules' ? '/notifications/' : '/slos')
  if ('error' in (await attempt(work, { failed: `Not ${what}.`, ended }))) return false
  const named = (outcome: string) =>
    results.flatMap(({ id, result, error }) => {
      const slo = result === outcome && slos.find((one) => one.id === id)
      return slo ? [{ id, name: slo.name, why: error ? asSentence(error.details ?? error.message) : '' }] : []
    })
  const [changed, failed] = [named('changed'), named('failed')]
  const unchanged = results.length - changed.length - failed.length
  const [only] = failed
  if (only && slos.length === 1) toast(`${only.name}: not ${what}. ${only.why}`, { isProblem: true })
  else if (only) refused.value = { what, of: results.length, slos: failed }
  if (changed.length + unchanged > 0) {
    const so = unchanged === 0 ? '' : ` ${countOf(unchanged)} had it before.`
    const text = changed.length === 0 ? so.trim() : `${countOf(changed.length)}: ${what}.${so}`
    toast(text, changed.length > 0 && undo ? { undo: () => undo(changed) } : {})
  }
  return true
}

/** Pauses or resumes SLOs; can be undone. */
export function setPaused(slos: readonly Named[], isPaused: boolean): Promise<boolean> {
  return changeInBulk({
    what: isPaused ? 'paused' : 'resumed',
    operation: { action: isPaused ? 'pause' : 'resume' },
    slos,
    undo: (changed) => void setPaused(changed, !isPaused),
  })
}

/** Deletes SLOs; can be undone. */
export function deleteAll(slos: readonly Named[]): Promise<boolean> {
  return changeInBulk({
    what: 'deleted',
    operation: { action: 'delete' },
    slos,
    undo: (deleted) => void restoreAll(deleted),
  })
}

/** Restores deleted SLOs. */
export function restoreAll(slos: readonly Named[]): Promise<boolean> {
  return changeInBulk({ what: 'restored', operation: { action: 'restore' }, slos })
}

/** Sets the target of SLOs; undo gives each its former one, by one request for each of these. */
export function setTarget(
  slos: readonly Pick<OverviewSlo, 'id' | 'name' | 'target'>[],
  target: number,
): Promise<boolean> {
  const undo = async (changed: readonly Named[]) => {
    const ids = new Set(changed.map(({ id }) => id))
    const before = Map.groupBy(
      slos.filter(({ id }) => ids.has(id)),
      (slo) => slo.target,
    )
    for (const [target, some] of before) {
      await changeInBulk({ what: `target ${target} %`, operation: { action: 'set_target', target }, slos: some })
    }
  }
  return changeInBulk({
    what: `target ${target} %`,
    operation: { action: 'set_target', target },
    slos,
    undo: (changed) => void undo(changed),
  })
}
