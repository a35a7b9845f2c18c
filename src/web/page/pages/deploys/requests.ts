import type { OneAnnotation } from '../../api/history.ts'
import { send } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { attempt } from '../../ui/action.ts'
import { deletedText, notDeletedText, notRestoredText } from '../../ui/named-words.ts'

export type Annotation = OneAnnotation['data']
export type ListedAnnotation = Omit<Annotation, 'slo_count'>

/** Reads everything that shows annotations again. */
export function rereadAnnotations(): void {
  invalidate('/annotations')
  invalidate('/incidents')
  invalidate('/slos/')
}

/** Deletes an annotation, which can be undone. `next`: called once it is deleted. */
export async function deleteAnnotation(of: ListedAnnotation, next?: () => void): Promise<void> {
  const { id, title, kind, labels, version, url, text, at } = of
  const restore = () => {
    return attempt(() => send('POST', '/annotations', { body: { kind, labels, version, url, text, at } }), {
      failed: notRestoredText(title),
      ended: rereadAnnotations,
    })
  }
  const outcome = await attempt(() => send('DELETE', `/annotations/${id}`), {
    done: deletedText(title),
    undo: restore,
    failed: notDeletedText(title),
  })
  if (!('result' in outcome)) return
  next?.()
  invalidate('/annotations?') // the lists: the deleted annotation itself is not read again
  invalidate('/incidents')
  invalidate('/slos/')
}
