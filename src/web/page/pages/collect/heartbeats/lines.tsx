import { LinesToCopy } from '../parts/lines-to-copy.tsx'
import type { Heartbeat } from '../types.ts'
import { linesToCopy } from './lines-to-copy.ts'

/** Secret address of a heartbeat, with the lines that call it. */
export function Lines({ id = 'lines', url, of }: { id?: string; url: string; of: Heartbeat }) {
  const lines = [{ from: 'Address', line: url }, ...linesToCopy(url, of)]
  return (
    <section class="card section" aria-labelledby={id}>
      <h2 id={id}>Call it when the job is done</h2>
      <p class="hint">
        The address is secret. With /start at its end, the duration is measured; with /fail or an exit code, the run
        fails.
      </p>
      <LinesToCopy lines={lines} />
    </section>
  )
}
