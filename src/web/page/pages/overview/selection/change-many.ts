import { ApiError, send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import type { OverviewSlo } from '../../../api/types.ts'
import { toast } from '../../../ui/toast.ts'
import { type DoneWords, notChangedSentence } from './words.ts'

/** `before`, `after`: request bodies that set what changes to its old and its new value. */
type Change = { id: number; name: string; before: object; after: object }

/**
 * Changes SLOs one after the other, and shows the outcome with an undo button. `isUndo`: the changes take back earlier ones, and so
 * do the words. If a change is refused, the others are still made, and the refusal is shown.
 */
export async function changeMany(words: DoneWords, changes: readonly Change[], isUndo = false): Promise<void> {
  const done: Change[] = []
  let refused: string | undefined
  for (const change of changes) {
    try {
      await send('PUT', `/slos/${change.id}`, { body: change.after })
      done.push(change)
    } catch (error) {
      const why = error instanceof ApiError ? (error.details ?? error.message) : String(error)
      refused ??= `${change.name}: ${why}`
    }
  }
  invalidate('/slos')
  if (done.length > 0) {
    const reverted = done.map(({ before, after, ...of }) => ({ ...of, before: after, after: before }))
    const text = isUndo ? words.undone(done.length) : words.done(done.length)
    toast(text, { undo: () => void changeMany(words, reverted, !isUndo) })
  }
  const failed = changes.length - done.length
  if (failed > 0) toast(`${notChangedSentence(failed)} ${refused}`, { isProblem: true })
}

/** Changes that set a label to a value, or remove it (null); SLOs that need no change are left out. */
export function labelChanges(slos: readonly OverviewSlo[], name: string, value: string | null): Change[] {
  return slos.flatMap(({ id, name: sloName, labels }) => {
    const { [name]: had, ...rest } = labels
    if ((had ?? null) === value) return []
    return [
      {
        id,
        name: sloName,
        before: { labels },
        after: { labels: value === null ? rest : { ...labels, [name]: value } },
      },
    ]
  })
}

/** Changes that assign SLOs to a team; SLOs of that team are left out. */
export function teamChanges(slos: readonly OverviewSlo[], teamId: number): Change[] {
  return slos.flatMap(({ id, name, team_id }) =>
    team_id === teamId ? [] : [{ id, name, before: { team_id }, after: { team_id: teamId } }],
  )
}
