import { useState } from 'preact/hooks'
import { Button } from '../../../ui/button.tsx'
import { Time } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.ts'
import type { Draft } from '../draft.ts'
import type { StoredDraft } from './stored-draft.ts'
import { draftSentence } from './words.ts'

type Props = {
  stored: StoredDraft
  /** True if the form shows the draft; false: the draft is only offered. */
  isShown: boolean
  /** Content of the form without the stored draft. */
  initial: Draft
  onStart: (draft: Draft) => void
}

/** Note that the form shows an unsaved draft, or an offer to continue one. */
export function DraftNote({ stored, isShown, initial, onStart }: Props) {
  const [isClosed, setClosed] = useState(false)
  if (isClosed) return null
  const start = (draft: Draft) => {
    setClosed(true)
    onStart(draft)
  }
  return (
    <p class="form-note">
      {draftSentence(<Time ms={stored.atMs} />, isShown)}{' '}
      {isShown ? (
        <Button
          small
          onClick={() => {
            start(initial)
            toast('Draft discarded.', { undo: () => onStart(stored.draft) })
          }}
        >
          Discard it
        </Button>
      ) : (
        <Button small onClick={() => start(stored.draft)}>
          Go on with it
        </Button>
      )}
    </p>
  )
}
