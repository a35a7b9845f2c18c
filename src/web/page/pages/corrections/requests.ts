import { send } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { attempt } from '../../ui/action.ts'
import { categoryWords, type Correction, correctionDeletedText } from './words.ts'
import { notDeletedText, notRestoredText } from '../../ui/named-words.ts'

/** Reads everything that a correction changes again. */
export function rereadCorrected(): void {
  invalidate('/corrections')
  invalidate('/slos/')
}

/** Deletes a correction, which can be undone. */
export async function deleteCorrection(of: Correction): Promise<void> {
  const { id, slo_ids, team_id, labels, from, to, rrule, duration_seconds, time_zone, category, text } = of
  const sent = { slo_ids, team_id, labels, from, to, rrule, duration_seconds, time_zone, category, text }
  const body = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
  const name = categoryWords[category]
  const restore = () =>
    attempt(() => send('POST', '/corrections', { body }), {
      failed: notRestoredText(name),
      ended: rereadCorrected,
    })
  await attempt(() => send('DELETE', `/corrections/${id}`), {
    done: correctionDeletedText(name),
    undo: restore,
    failed: notDeletedText(name),
    ended: rereadCorrected,
  })
}
