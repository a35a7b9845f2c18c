import { ofSlo } from '../../../api/live-reads.ts'
import type { Evaluations, ListedEvaluation } from '../../../api/history.ts'
import type { Slo } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { formatCost, formatDuration, formatNumber, formatSli } from '../../../format.ts'
import { Read } from '../../../ui/read.tsx'
import { Status, StatusShape, type Tone } from '../../../ui/status.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { oneOf, page, useAddress } from '../../../address/fields.ts'
import { repeatedWords } from './words.ts'

const listFields = { failed: oneOf(['true'], ''), page }

/** Evaluations of an SLO, newest first: their result or error, and their duration. */
export function ActivityView({ slo }: { slo: Slo }) {
  const { fields, go } = useAddress(listFields)
  const { page } = fields
  const isFailed = fields.failed === 'true'
  const filter = isFailed ? '&failed=true' : ''
  const evaluations = useRead<Evaluations>(`/slos/${slo.id}/evaluations?page=${page}&page_size=30${filter}`, {
    live: ofSlo(slo.id),
  })
  return (
    <section class="card section">
      <div class="split">
        <h2>Evaluations</h2>
        <div class="ranges" role="group" aria-label="Which evaluations">
          {[false, true].map((failed) => (
            <button
              key={String(failed)}
              type="button"
              aria-pressed={isFailed === failed}
              onClick={() => go({ failed: failed ? 'true' : '', page: 1 })}
            >
              {failed ? 'Failed' : 'All'}
            </button>
          ))}
        </div>
      </div>
      <Read of={evaluations} heightPx={400}>
        {(value) => (
          <Table
            class="evaluations"
            columns={columnsOf(slo)}
            rows={value.evaluations}
            rowKey={({ evaluated_at }) => evaluated_at}
            attributes={(one) => ({ class: hasFailed(one) ? 'failed-row' : undefined })}
            empty={isFailed ? 'None of those that are kept has failed.' : 'It has not been evaluated yet.'}
            pager={{ of: value, what: 'evaluations' }}
          />
        )}
      </Read>
      <p class="muted">
        Kept as they were made for two days, then one for each hour, after 35 days one for each day. The time is that of
        all SLOs that share queries.
      </p>
    </section>
  )
}

/** Title of the results. They are of less time than the SLI beside them, which is of the whole window. */
function resultTitle({ time_window }: Slo): string {
  return time_window === '1h' ? 'Result, last 5\u2009min' : 'Result, last hour'
}

/** Results of an evaluation, by the status that the API gives it. */
const results: Record<ListedEvaluation['status'], { word: string; inSentence: string; tone: Tone }> = {
  healthy: { word: 'Target met', inSentence: 'target met', tone: 'healthy' },
  warning: { word: 'Below target', inSentence: 'below target', tone: 'warning' },
  critical: { word: 'Below target, budget low', inSentence: 'below target, budget low', tone: 'critical' },
  unknown: { word: 'Not known', inSentence: 'not known', tone: 'unknown' },
}

/**
 * Word and tone of a result. A `critical` one is shown as `warning` while less than half of the budget of the whole window is used, as
 * it can be for a young SLO.
 */
function resultOf({ status, window_percent_used: used }: ListedEvaluation) {
  const isLow = used === null || used >= lowFromUsedPercent
  return results[status === 'critical' && !isLow ? 'warning' : status]
}

const lowFromUsedPercent = 50

function hasFailed({ reason }: ListedEvaluation): boolean {
  return reason === 'source_error'
}

function columnsOf(slo: Slo): Column<ListedEvaluation>[] {
  return [
    { head: 'Time', cell: ({ evaluated_at }) => <Time ms={Date.parse(evaluated_at)} /> },
    { head: resultTitle(slo), cell: (one) => <Result of={one} /> },
    { head: 'SLI', isNumber: true, cell: ({ sli }) => (sli === null ? '–' : `${formatSli(sli, slo.target)}\u2009%`) },
    {
      head: 'Budget used',
      isNumber: true,
      cell: ({ window_percent_used: used }) => (used === null ? '–' : formatCost(used)),
    },
    { head: 'Took', isNumber: true, cell: ({ duration_ms }) => (duration_ms === null ? '–' : tookText(duration_ms)) },
  ]
}

function Result({ of }: { of: ListedEvaluation }) {
  const { word, tone } = resultOf(of)
  return (
    <>
      {hasFailed(of) ? (
        <span class="status crit-text">
          <StatusShape state="critical" /> Failed
        </span>
      ) : (
        <Status state={tone} word={word} />
      )}
      {of.message !== null && <span class="message-text">{of.message}</span>}
      {of.count > 1 && (
        <span class="message-text muted">
          {repeatedWords(of.count, of.worst_status === of.status ? null : results[of.worst_status].inSentence)}
        </span>
      )}
    </>
  )
}

function tookText(ms: number): string {
  return ms < 10_000 ? `${formatNumber(ms)}\u2009ms` : formatDuration(ms / 1000)
}
