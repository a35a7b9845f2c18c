import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, send } from '../../../api/client.ts'
import type { TemplatePreview } from '../../../api/history.ts'
import { asSentence } from '../../../format.ts'
import { problemsByField } from '../problems.ts'

/** Texts of a template; null: the default text. */
export type Texts = { subject: string | null; message: string | null }

/**
 * Preview of a template. `problems`: by field, from the last answer, also if it refused the texts; problems of no field are
 * under the empty name.
 */
export type TemplateReading = {
  preview: ReadonlySignal<TemplatePreview | null>
  problems: ReadonlySignal<Readonly<Record<string, string>>>
  isReading: ReadonlySignal<boolean>
}

const settleMs = 400

/** Previews texts for an alert of this kind. The request is sent 400 ms after the last change; a running request is aborted. */
export function useTemplatePreview(kind: string, texts: Texts): TemplateReading {
  const { ask, stop, ...reading } = useMemo(createReading, [])
  const body = JSON.stringify({ alert_type: kind, ...texts })
  useEffect(() => ask(body), [body])
  useEffect(() => stop, [])
  return reading
}

function createReading() {
  const preview = signal<TemplatePreview | null>(null)
  const problems = signal<Readonly<Record<string, string>>>({})
  const isReading = signal(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  let under: AbortController | undefined

  const stop = () => {
    clearTimeout(timer)
    under?.abort()
    under = undefined
    isReading.value = false
  }
  const read = async (body: string) => {
    const asked = (under = new AbortController())
    isReading.value = true
    const path = '/notifications/templates/preview'
    const answer = await send<{ data: TemplatePreview }>('POST', path, {
      body: JSON.parse(body),
      signal: asked.signal,
    }).catch((problem: unknown) => (problem instanceof ApiError ? problem : new ApiError(0, String(problem))))
    if (under !== asked) return
    under = undefined
    batch(() => {
      isReading.value = false
      if (answer instanceof ApiError) {
        problems.value = problemsByField(answer, ['subject', 'message'])
        return
      }
      preview.value = answer.data
      problems.value = Object.fromEntries(
        answer.data.problems.map((problem) => [problem.field, asSentence(messageOf(problem))]),
      )
    })
  }
  const ask = (body: string) => {
    stop()
    timer = setTimeout(() => void read(body), preview.peek() === null ? 0 : settleMs)
  }
  return { preview, problems, isReading, ask, stop }
}

/** Message of a problem without the list of known placeholders, which the page shows next to the fields. */
function messageOf({ code, params, message }: TemplatePreview['problems'][number]): string {
  return code === 'unknown_placeholder' ? `must be no placeholder {{${String(params['placeholder'])}}}` : message
}
