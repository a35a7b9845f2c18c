import { TextField } from '../../../ui/form/field.tsx'
import type { Form } from '../form-state.ts'
import { Filters } from '../picks/filters.tsx'
import { MetricPicker } from '../picks/metric-picker.tsx'
import { HeartbeatLinks } from './heartbeat-links.tsx'
import { Segments } from './segments.tsx'

/** Fields of the kind `jobs`: a counter of failures and one of runs or successes, or the time of the last success. */
export function JobsFields({ form }: { form: Form }) {
  const { draft, pick, sourceId, problemsAt } = form
  const { by, failed, other, other_counts, metric, filters, limit } = draft.picks.jobs
  const first = by === 'age' ? metric : failed
  return (
    <>
      <HeartbeatLinks />
      <Segments
        label="How it is measured"
        value={by}
        of={{ counters: 'Failures and successes', age: 'Time since the last success' }}
        onChange={(by) => pick('jobs', { by })}
      />
      {by === 'counters' ? (
        <>
          <MetricPicker
            label="Failed jobs"
            sourceId={sourceId}
            metric={failed}
            use="counter"
            onPick={(failed) => pick('jobs', { failed })}
            problem={problemsAt('bad_query')}
          />
          <Segments
            label="The other counter"
            value={other_counts}
            of={{ all: 'All jobs are', done: 'Successful jobs are' }}
            onChange={(other_counts) => pick('jobs', { other_counts })}
          />
          <MetricPicker
            label={other_counts === 'all' ? 'All jobs' : 'Successful jobs'}
            sourceId={sourceId}
            metric={other}
            use="counter"
            onPick={(other) => pick('jobs', { other })}
            problem={problemsAt('total_query')}
          />
        </>
      ) : (
        <>
          <MetricPicker
            label="Time of the last success, a Unix time in seconds"
            sourceId={sourceId}
            metric={metric}
            use="time"
            onPick={(metric) => pick('jobs', { metric })}
            problem={problemsAt('metric_query')}
          />
          <TextField
            label="Good if the last success is at most this old, in seconds"
            value={limit}
            placeholder="90000"
            onValue={(limit) => pick('jobs', { limit })}
            problem={problemsAt('threshold')}
          />
        </>
      )}
      {first !== '' && (
        <div class="control-group">
          <span class="control-group-label">only those with</span>
          <Filters
            label="Jobs"
            sourceId={sourceId}
            of={{ metric: first, filters: [] }}
            filters={filters}
            onChange={(filters) => pick('jobs', { filters })}
          />
        </div>
      )}
    </>
  )
}
