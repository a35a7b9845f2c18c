import { useState } from 'preact/hooks'
import { Button } from '../../../ui/button.tsx'
import { Time } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.ts'
import type { Draft } from '../draft.ts'
import type { StoredDraft } from './kept.ts'

type Props = {
  kept: StoredDraft
  /** True if the form shows the draft; false: the draft is only offered. */
  isShown: boolean
  initial: Draft
  onStart: (draft: Draft) => void
}

/** Note that the form shows an unsaved draft, or an offer to continue one. */
export function KeptNote({ kept, isShown, initial, onStart }: Props) {
  const [isOver, setOver] = useState(false)
  if (isOver) return null
  const start = (draft: Draft) => {
    setOver(true)
    onStart(draft)
  }
  return (
    <p class="form-note">
      {isShown ? 'This is your draft of ' : 'There is a draft of yours from '}
      <Time ms={kept.atMs} />, which is not saved yet.{' '}
      {isShown ? (
        <Button
          small
          onClick={() => {
            start(initial)
            toast('Draft discarded.', { undo: () => onStart(kept.draft) })
          }}
        >
          Discard it
        </Button>
      ) : (
        <Button small onClick={() => start(kept.draft)}>
          Go on with it
        </Button>
      )}
    </p>
  )
}
