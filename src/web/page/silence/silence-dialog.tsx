import type { Overview } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { now } from '../clock.ts'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { TextField } from '../ui/form/field.tsx'
import { useForm } from '../ui/form/use-form.ts'
import { Button } from '../ui/button.tsx'
import { Covers, useCovered } from './covers.tsx'
import { EndField, type ChosenEnd, momentOfEnd } from './end-field.tsx'
import { localInput } from './ends.ts'
import { closeSilence, type SilenceRequest, silenceRequest } from './request.ts'
import { change, endSilences, silence } from './send.ts'

const maxReason = 1000

type Draft = { until: ChosenEnd; comment: string }

/** Dialog for a new silence, or for the end and the reason of an existing one. */
export function SilenceDialog() {
  const request = silenceRequest.value
  return request && <OneSilence key={JSON.stringify(request)} request={request} />
}

function OneSilence({ request }: { request: SilenceRequest }) {
  const isNew = request.kind === 'create'
  const overview = useRead<Overview>('/slos/overview', { when: isNew })
  const covered = useCovered(overview.value.value?.slos ?? [], request)
  const { target } = covered
  const form = useForm({
    initial: (): Draft =>
      isNew
        ? { until: { preset: 0, custom: '' }, comment: '' }
        : {
            until: { preset: null, custom: localInput(Date.parse(request.silence.until)) },
            comment: request.silence.comment,
          },
    check({ until }) {
      if (untilMs(until) <= now()) return { until: 'Choose a time in the future.' }
      return isNew && target === null ? { slo_id: 'Choose what to silence.' } : undefined
    },
    async send({ until, comment }) {
      if (!isNew) await change(request.silence.id, untilMs(until), comment)
      else if (target !== null) await silence(target, untilMs(until), comment)
    },
    next: closeSilence,
  })
  return (
    <FormDialog
      of={form}
      title={isNew ? 'Silence' : 'Change the silence'}
      action={isNew ? 'Silence' : 'Save'}
      onClose={closeSilence}
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
      {isNew && <Covers of={covered} problem={form.problemAt('slo_id') ?? form.problemAt('labels')} />}
      <EndField {...form.field('until')} />
      <TextField
        label="Reason"
        hint="Shown beside the SLO and its alerts."
        maxLength={maxReason}
        {...form.field('comment')}
      />
    </FormDialog>
  )
}

function untilMs(end: ChosenEnd): number {
  return momentOfEnd(end, now()) ?? 0
}
