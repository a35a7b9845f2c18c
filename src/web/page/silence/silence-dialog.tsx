import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { sentenceOf } from '../api/problems.ts'
import { asSentence } from '../format.ts'
import type { Overview } from '../api/types.ts'
import { useResource } from '../api/use-resource.ts'
import { now } from '../clock.ts'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { TextField } from '../ui/form/field.tsx'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Covers, useCovered } from './covers.tsx'
import { EndField, type ChosenEnd, momentOfEnd } from './end-field.tsx'
import { localInput } from './ends.ts'
import { closeSilence, type SilenceRequest, silenceRequest } from './request.ts'
import { change, endSilences, silence } from './send.ts'

const maxReason = 1000
const byServer: Record<string, 'end' | 'reason' | 'what'> = {
  until: 'end',
  comment: 'reason',
  slo_id: 'what',
  labels: 'what',
}

type Problems = Partial<Record<'end' | 'reason' | 'what' | 'all', string>>

/** Dialog for a new silence, or for the end and the reason of an existing one. */
export function SilenceDialog() {
  const request = silenceRequest.value
  return request && <OneSilence key={JSON.stringify(request)} request={request} />
}

function OneSilence({ request }: { request: SilenceRequest }) {
  const isNew = request.kind === 'create'
  const overview = useResource<Overview>('/slos/overview', isNew)
  const covered = useCovered(overview.value.value?.slos ?? [], request)
  const [end, setEnd] = useState<ChosenEnd>(
    isNew ? { preset: 0, custom: '' } : { preset: null, custom: localInput(Date.parse(request.silence.until)) },
  )
  const [reason, setReason] = useState(isNew ? '' : request.silence.comment)
  const { target } = covered
  const untilMs = () => momentOfEnd(end, now()) ?? 0
  const sending = useAction(
    async () => {
      if (!isNew) await change(request.silence.id, untilMs(), reason)
      else if (target !== null) await silence(target, untilMs(), reason)
    },
    {
      check(): Problems | undefined {
        if (untilMs() <= now()) return { end: 'Choose a time in the future.' }
        return isNew && target === null ? { what: 'Choose what to silence.' } : undefined
      },
      problemOf: problemsBy,
      next: closeSilence,
    },
  )
  const problems = sending.problem ?? {}
  return (
    <FormDialog
      title={isNew ? 'Silence' : 'Change the silence'}
      action={isNew ? 'Silence' : 'Save'}
      onClose={closeSilence}
      onSend={sending.run}
      isBusy={sending.isBusy}
      problem={problems.all}
      more={
        !isNew && (
          <Button
            onClick={() => {
              closeSilence()
              void endSilences([request.silence.id])
            }}
          >
            End now
          </Button>
        )
      }
    >
      {isNew && <Covers of={covered} problem={problems.what} />}
      <EndField value={end} onValue={setEnd} problem={problems.end} />
      <TextField
        label="Reason"
        hint="Shown beside the SLO and its alerts."
        value={reason}
        onValue={setReason}
        maxLength={maxReason}
        problem={problems.reason}
      />
    </FormDialog>
  )
}

function problemsBy(error: unknown): Problems {
  const found = error instanceof ApiError ? error.problems : []
  const known = found.flatMap(({ field, message }) => {
    const at = byServer[field]
    return at === undefined ? [] : [[at, asSentence(message)] as const]
  })
  return known.length > 0 ? Object.fromEntries(known) : { all: sentenceOf(error) }
}
