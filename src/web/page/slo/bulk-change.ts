import { signal } from '@preact/signals'
import { send } from '../api/client.ts'
import { sentenceOf } from '../api/problems.ts'
import { invalidate } from '../api/resource.ts'
import type { BulkAnswer, BulkRequest, OverviewSlo } from '../api/types.ts'
import { asSentence } from '../format.ts'
import { attempt } from '../ui/action.ts'
import { toast } from '../ui/toast.ts'
import {
  type ChangeWords,
  deleteWords,
  pauseWords,
  restoreWords,
  resumeWords,
  targetWords,
  unchangedSentence,
} from './bulk-words.ts'

type Named = Pick<OverviewSlo, 'id' | 'name'>
type Operation = Omit<BulkRequest, 'ids' | 'filter'>

const maxIds = 500 // of one request

/** Operation on `of` SLOs, and those that it could not change. */
type Refused = { words: ChangeWords; of: number; slos: { id: number; name: string; why: string }[] }

/** Refused SLOs of the last operation; null: none. */
export const refused = signal<Refused | null>(null)

type Change = {
  words: ChangeWords
  operation: Operation
  slos: readonly Named[]
  /** Reverts the change of these SLOs. */
  undo?: (slos: readonly Named[]) => void
}

/**
 * Changes SLOs by a request for each 500, and shows how many were changed, with an undo button. Those of several SLOs
 * that were refused are kept in `refused`. Returns false if a request was refused as a whole: it is the last one, and the changes of
 * those before it stay.
 */
export async function changeInBulk({ words, operation, slos, undo }: Change): Promise<boolean> {
  refused.value = null
  const results: BulkAnswer['results'] = []
  const work = async () => {
    for (let from = 0; from < slos.length; from += maxIds) {
      const ids = slos.slice(from, from + maxIds).map(({ id }) => id)
      results.push(...(await send<BulkAnswer>('POST', '/slos/bulk', { body: { ...operation, ids } })).results)
    }
  }
  const failedText = (error: unknown) => {
    const unsent = slos.length - results.length
    return `${unsent === slos.length ? words.failed : words.refused(unsent, slos.length)} ${sentenceOf(error)}`
  }
  const ended = () => invalidate(operation.action === 'add_rules' ? '/notifications/' : '/slos')
  const isComplete = 'result' in (await attempt(work, { failed: failedText, ended }))
  const named = (outcome: string) =>
    results.flatMap(({ id, result, error }) => {
      const slo = result === outcome && slos.find((one) => one.id === id)
      return slo ? [{ id, name: slo.name, why: error ? asSentence(error.details ?? error.message) : '' }] : []
    })
  const [changed, failed] = [named('changed'), named('failed')]
  const unchanged = results.length - changed.length - failed.length
  const [only] = failed
  if (only && slos.length === 1) toast(`${words.failedOf(only.name)} ${only.why}`, { isProblem: true })
  else if (only) refused.value = { words, of: results.length, slos: failed }
  if (changed.length + unchanged > 0) {
    const sentences = [
      ...(changed.length > 0 ? [words.changed(changed.length)] : []),
      ...(unchanged > 0 ? [unchangedSentence(unchanged)] : []),
    ]
    toast(sentences.join(' '), changed.length > 0 && undo ? { undo: () => undo(changed) } : {})
  }
  return isComplete
}

/** Pauses or resumes SLOs; can be undone. */
export function setPaused(slos: readonly Named[], isPaused: boolean): Promise<boolean> {
  return changeInBulk({
    words: isPaused ? pauseWords : resumeWords,
    operation: { action: isPaused ? 'pause' : 'resume' },
    slos,
    undo: (changed) => void setPaused(changed, !isPaused),
  })
}

/** Deletes SLOs; can be undone. */
export function deleteAll(slos: readonly Named[]): Promise<boolean> {
  return changeInBulk({
    words: deleteWords,
    operation: { action: 'delete' },
    slos,
    undo: (deleted) => void restoreAll(deleted),
  })
}

/** Restores deleted SLOs. */
export function restoreAll(slos: readonly Named[]): Promise<boolean> {
  return changeInBulk({ words: restoreWords, operation: { action: 'restore' }, slos })
}

/** Sets the target of SLOs; undo gives each its former one, by one request for each of these. */
export function setTarget(
  slos: readonly Pick<OverviewSlo, 'id' | 'name' | 'target'>[],
  target: number,
): Promise<boolean> {
  const undo = async (changed: readonly Named[]) => {
    const ids = new Set(changed.map(({ id }) => id))
    const byFormerTarget = Map.groupBy(
      slos.filter(({ id }) => ids.has(id)),
      (slo) => slo.target,
    )
    for (const [target, some] of byFormerTarget) {
      await changeInBulk({ words: targetWords(target), operation: { action: 'set_target', target }, slos: some })
    }
  }
  return changeInBulk({
    words: targetWords(target),
    operation: { action: 'set_target', target },
    slos,
    undo: (changed) => void undo(changed),
  })
}
