import { signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { plural } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { errorText } from '../parts/trouble.ts'
import { type ImportEnd, importFile, type Progress } from './import-file.ts'
import { importedSentence, importSentences, importStateWords, progressLabel } from './words.ts'

type ImportRun = { name: string; progress: Progress | null; end: ImportEnd }

/** Size that a tab reads and sends in a few milliseconds. */
const partBytes = 256 * 1024

/** Import of this tab; it continues while other pages are shown. */
const current = signal<ImportRun | null>(null)
let abort = new AbortController()

/** Imports history from a file, with progress; `maxBytes`: the limit of one request. */
export function Import({ maxBytes, retentionDays }: { maxBytes: number; retentionDays: number }) {
  const input = useRef<HTMLInputElement>(null)
  const isChosen = useSignal(false)
  const unavailable = whyNot('administer')
  const isRunning = current.value !== null && current.value.end === null
  const start = async () => {
    const file = input.current?.files?.[0]
    if (!file || isRunning) return
    abort = new AbortController()
    const { signal: abortSignal } = abort
    current.value = { name: file.name, progress: null, end: null }
    const note = (change: Partial<ImportRun>) => void (current.value = { ...(current.peek() as ImportRun), ...change })
    try {
      note({
        progress: await importFile(file, Math.min(maxBytes, partBytes), (progress) => note({ progress }), abortSignal),
        end: 'done',
      })
    } catch (error) {
      note({ end: abortSignal.aborted ? 'cancelled' : { problem: errorText(error) } })
    }
    invalidate('/embedded/storage')
    invalidate('/slos')
  }
  return (
    <section class="card section">
      <h2>Import the past</h2>
      <p class="muted">{importSentences(retentionDays)}</p>
      <div class="import-file">
        <Field label="File">
          {(ids) => (
            <input
              {...ids}
              ref={input}
              class="input"
              type="file"
              accept=".om,.txt,.prom,.gz,text/plain"
              disabled={isRunning || unavailable !== undefined}
              onChange={({ currentTarget }) => void (isChosen.value = (currentTarget.files?.length ?? 0) > 0)}
            />
          )}
        </Field>
        {isRunning ? (
          <Button onClick={() => abort.abort()}>Cancel</Button>
        ) : (
          <Button
            kind="primary"
            unavailable={unavailable ?? (isChosen.value ? undefined : 'Choose a file first.')}
            onClick={() => void start()}
          >
            Import
          </Button>
        )}
      </div>
      {current.value && <State of={current.value} />}
    </section>
  )
}

function State({ of: { name, progress, end } }: { of: ImportRun }) {
  const share = progress?.share ?? 0
  return (
    <div class="import-state">
      {end === null && <progress aria-label={progressLabel(name)} value={share} />}
      <div role="status">
        <p>
          <strong>{importStateWords(name, share, end)}</strong> {progress && importedSentence(progress, nowMs.peek())}
        </p>
        {end !== null && typeof end === 'object' && <p class="crit-text message-text">{end.problem}</p>}
        {end !== null && end !== 'done' && (
          <p class="muted">What was imported before stays. It is safe to import the whole file again.</p>
        )}
        {progress !== null && progress.slos !== null && progress.slos > 0 && (
          <p class="muted">
            {plural(progress.slos, '# SLO asks for the past again.', '# SLOs ask for the past again.')}
          </p>
        )}
      </div>
    </div>
  )
}
