import type { Evaluations, ListedEvaluation } from '../../../api/history.ts'
import { useLiveReads } from '../../../api/live-reads.ts'
import type { Slo } from '../../../api/types.ts'
import { useResource } from '../../../api/use-resource.ts'
import { formatCost, formatDuration, formatNumber, formatSli } from '../../../format.ts'
import { Pager } from '../../../ui/pager.tsx'
import { Read } from '../../../ui/read.tsx'
import { Status, StatusShape, type Tone } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'
import { oneOf, page, useAddress } from '../../../address/fields.ts'

const listFields = { failed: oneOf(['true'], ''), page }

/** Evaluations of an SLO, newest first: their result or error, and their duration. */
export function ActivityView({ slo }: { slo: Slo }) {
  const { fields, go } = useAddress(listFields)
  const { page } = fields
  const isFailed = fields.failed === 'true'
  const filter = isFailed ? '&failed=true' : ''
  const evaluations = useResource<Evaluations>(`/slos/${slo.id}/evaluations?page=${page}&page_size=30${filter}`)
  useLiveReads(slo.id, [evaluations])
  return (
    <section class="card section">
      <div class="section-head">
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
        {(value) =>
          value.evaluations.length === 0 ? (
            <p class="muted">
              {isFailed ? 'None of those that are kept has failed.' : 'It has not been evaluated yet.'}
            </p>
          ) : (
            <>
              <table class="rows evaluations">
                <thead>
                  <tr>
                    <th scope="col">Time</th>
                    <th scope="col">{resultTitle(slo)}</th>
                    <th scope="col" class="number">
                      SLI
                    </th>
                    <th scope="col" class="number">
                      Budget used
                    </th>
                    <th scope="col" class="number">
                      Took
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {value.evaluations.map((one) => (
                    <Row key={one.evaluated_at} of={one} slo={slo} />
                  ))}
                </tbody>
              </table>
              <Pager of={value} what="evaluations" />
            </>
          )
        }
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
  return `Result, last ${time_window === '1h' ? '5\u2009min' : 'hour'}`
}

/** Results of an evaluation, by the status that the API gives it. */
const results: Record<ListedEvaluation['status'], { word: string; tone: Tone }> = {
  healthy: { word: 'Target met', tone: 'healthy' },
  warning: { word: 'Below target', tone: 'warning' },
  critical: { word: 'Below target, budget low', tone: 'critical' },
  unknown: { word: 'Not known', tone: 'unknown' },
}

/** Word and tone of a result. The budget of a young SLO is that of its whole window. */
function resultOf({ status, window_percent_used: used }: ListedEvaluation) {
  const isLow = used === null || used >= lowPercent
  return results[status === 'critical' && !isLow ? 'warning' : status]
}

const lowPercent = 50

function Row({ of, slo }: { of: ListedEvaluation; slo: Slo }) {
  const hasFailed = of.reason === 'source_error'
  return (
    <tr class={hasFailed ? 'failed-row' : undefined}>
      <th scope="row">
        <Time ms={Date.parse(of.evaluated_at)} />
      </th>
      <td data-label={resultTitle(slo)}>
        {hasFailed ? (
          <span class="status crit-text">
            <StatusShape state="critical" /> Failed
          </span>
        ) : (
          <Status state={resultOf(of).tone} word={resultOf(of).word} />
        )}
        {of.message !== null && <span class="said">{of.message}</span>}
        {of.count > 1 && (
          <span class="said muted">
            the last of {formatNumber(of.count)}
            {of.worst_status !== of.status && `; the worst was: ${results[of.worst_status].word.toLowerCase()}`}
          </span>
        )}
      </td>
      <td data-label="SLI" class="number">
        {of.sli === null ? '–' : `${formatSli(of.sli, slo.target)}\u2009%`}
      </td>
      <td data-label="Budget used" class="number">
        {of.window_percent_used === null ? '–' : formatCost(of.window_percent_used)}
      </td>
      <td data-label="Took" class="number">
        {of.duration_ms === null ? '–' : took(of.duration_ms)}
      </td>
    </tr>
  )
}

function took(ms: number): string {
  return ms < 10_000 ? `${formatNumber(ms)}\u2009ms` : formatDuration(ms / 1000)
}
