import { TextField } from '../../../ui/form/field.tsx'
import type { Form } from '../form-state.ts'
import { Filters } from '../picks/filters.tsx'
import { ControlGroup } from '../control-group.tsx'
import { MetricPicker } from '../picks/metric-picker.tsx'
import { Picker } from '../picks/picker.tsx'
import { labelValuesPath } from '../picks/source-api.ts'
import { completeFilters } from '../picks/write.ts'
import { Segments } from './segments.tsx'

/** Fields of the kind `latency`: a histogram and one of its buckets, or a bound for a quantile. */
export function LatencyFields({ form }: { form: Form }) {
  const { draft, pick, sourceId, problemsAt } = form
  const { by, metric, filters, le, quantile, limit } = draft.picks.latency
  const bucket = `${metric}_bucket`
  return (
    <>
      <MetricPicker
        label="Duration of requests, a histogram"
        sourceId={sourceId}
        metric={metric}
        use="histogram"
        onPick={(metric) => pick('latency', { metric, le: '' })}
        problem={metric === '' && problemsAt('good_query', 'total_query', 'metric_query')}
      />
      {metric !== '' && (
        <>
          <ControlGroup label="of them only those with" problem={problemsAt('total_query')}>
            {(invalid) => (
              <Filters
                label="All requests"
                sourceId={sourceId}
                of={{ metric: bucket, filters: [] }}
                filters={filters}
                except={['le']}
                onChange={(filters) => pick('latency', { filters })}
                invalid={invalid}
              />
            )}
          </ControlGroup>
          <Segments
            label="How it is measured"
            value={by}
            of={{ share: 'Share of fast requests', quantile: 'Time in which a quantile is low' }}
            onChange={(by) => pick('latency', { by })}
          />
          {by === 'share' ? (
            <ControlGroup
              label="Fast is at most, by a bucket of the histogram"
              problem={problemsAt('good_query', 'metric_query')}
            >
              {(invalid) => (
                <Picker
                  label="At most (le)"
                  value={le}
                  placeholder="Choose a bucket"
                  path={labelValuesPath(sourceId, 'le', { metric: bucket, filters: completeFilters(filters) })}
                  compare={(a, b) => Number(a.replace('+Inf', 'Infinity')) - Number(b.replace('+Inf', 'Infinity'))}
                  groupOf={(value) => (value === '+Inf' ? null : '')}
                  onPick={(le) => pick('latency', { le })}
                  invalid={invalid}
                />
              )}
            </ControlGroup>
          ) : (
            <div class="grid">
              <TextField
                label="Quantile, 0 to 1"
                value={quantile}
                onValue={(quantile) => pick('latency', { quantile })}
                problem={problemsAt('metric_query')}
              />
              <TextField
                label="At most, in the unit of the metric"
                value={limit}
                placeholder="0.25"
                onValue={(limit) => pick('latency', { limit })}
                problem={problemsAt('threshold')}
              />
            </div>
          )}
        </>
      )}
    </>
  )
}
