import type { Overview } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { now } from '../clock.ts'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { TextField } from '../ui/form/field.tsx'
import { useForm } from '../ui/form/use-form.ts'
import { Button } from '../ui/button.tsx'
import { Covers, useCovered } from './covers.tsx'
import { localInput } from './ends.ts'
import { type ChosenMoment, EndField, endOf, StartField, startOf } from './moment-fields.tsx'
import { closeSilence, type SilenceRequest, silenceRequest } from './request.ts'
import { change, endSilences, silence } from './send.ts'

const maxReasonLength = 1000
const inFuture = 'Choose a time in the future.'

type Draft = { starts_at: ChosenMoment; until: ChosenMoment; comment: string }

const firstPreset: ChosenMoment = { preset: 0, custom: '' }

/** Dialog for a new silence, which may begin later, or for the end and the reason of an existing one. */
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
        ? { starts_at: firstPreset, until: firstPreset, comment: '' }
        : {
            starts_at: firstPreset,
            until: { preset: null, custom: localInput(Date.parse(request.silence.until)) },
            comment: request.silence.comment,
          },
    check(draft) {
      const startsMs = plannedMs(draft)
      if (startsMs !== undefined && startsMs <= now()) return { starts_at: inFuture }
      if (untilMs(draft) <= now()) return { until: inFuture }
      if (startsMs !== undefined && untilMs(draft) <= startsMs) return { until: 'Choose a time after it begins.' }
      return isNew && target === null ? { slo_id: 'Choose what to silence.' } : undefined
    },
    async send(draft) {
      const times = { startsMs: plannedMs(draft), untilMs: untilMs(draft) }
      if (!isNew) await change(request.silence.id, times.untilMs, draft.comment)
      else if (target !== null) await silence(target, times, draft.comment)
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
      {isNew && <StartField {...form.field('starts_at')} />}
      <EndField startMs={plannedMs(form.draft)} {...form.field('until')} />
      <TextField
        label="Reason"
        hint="Shown beside the SLO and its alerts."
        maxLength={maxReasonLength}
        {...form.field('comment')}
      />
    </FormDialog>
  )
}

/** Start of a silence that begins later; undefined: it begins now. An invalid time is 0, which `check` refuses as past. */
function plannedMs({ starts_at }: Draft): number | undefined {
  return starts_at.preset === null ? (startOf(starts_at, now()) ?? 0) : undefined
}

/** End of a silence; 0 if the typed time is invalid. */
function untilMs(draft: Draft): number {
  return endOf(draft.until, plannedMs(draft) ?? now()) ?? 0
}
