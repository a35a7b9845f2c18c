import type { Checks } from '../../../api/types.ts'
import type { Resource } from '../../../api/resource.ts'
import { formatTook } from '../../../format.ts'
import { useCheckReads } from '../../../slo/use-check-reads.ts'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'

/** Checks of the probes that an SLO reads, newest first. Reads them again after each. */
export function CheckList({ of }: { of: Resource<Checks> }) {
  const read = of.value.value
  useCheckReads(of)
  if (!read) return null
  const { checks } = read
  const hasSeveral = new Set(checks.map(({ probe }) => probe)).size > 1
  return (
    <section class="card section">
      <div class="section-head">
        <h2>Checks</h2>
        <p class="muted">
          Next at <Time ms={Date.parse(read.next_at ?? '')} exact />
        </p>
      </div>
      {checks.length === 0 ? (
        <p class="muted">None has run yet.</p>
      ) : (
        <table class="rows checks">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {hasSeveral && <th scope="col">Check</th>}
              <th scope="col">Result</th>
              <th scope="col" class="number">
                Took
              </th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {checks.map(({ at, probe, ok, duration_ms, error }) => (
              <tr key={`${probe} ${at}`}>
                <th scope="row">
                  <Time ms={Date.parse(at)} exact />
                </th>
                {hasSeveral && <td data-label="Check">{probe}</td>}
                <td data-label="Result">
                  <Status state={ok ? 'healthy' : 'critical'} word={ok ? 'Good' : 'Failed'} />
                </td>
                <td data-label="Took" class="number">
                  {formatTook(duration_ms)}
                </td>
                <td data-label="Reason">{error ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
