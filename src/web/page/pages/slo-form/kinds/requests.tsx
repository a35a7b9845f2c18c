import type { ApiProblem } from '../../../api/client.ts'
import { Button } from '../../../ui/button.tsx'
import type { Form } from '../form-state.ts'
import { Filters } from '../picks/filters.tsx'
import { ControlGroup } from '../control-group.tsx'
import { MetricPicker } from '../picks/metric-picker.tsx'
import type { Filter } from '../picks/promql.ts'
import { completeFilters } from '../picks/write.ts'
import { Segments } from './segments.tsx'

const serverFailed: Filter = { label: 'code', op: '=~', value: '5..' }

/** Fields of the kind `requests`: a counter, and matchers of the bad or good requests. */
export function RequestsFields({ form }: { form: Form }) {
  const { draft, pick, sourceId, problemsOf, show } = form
  const { metric, filters, counts, matching } = draft.picks.requests
  const problems = problemsOf('total_query', 'bad_query', 'good_query', 'metric_query')
  /** True for a problem of the filters of all requests; others are about `matching`. */
  const isOfAll = ({ field, code, params: { label, operator, value } = {} }: ApiProblem) =>
    field === 'total_query' ||
    completeFilters(filters).some(
      (one) => code === 'no_series' || (one.label === label && one.op === operator && one.value === value),
    )
  return (
    <>
      <MetricPicker
        label="All requests"
        sourceId={sourceId}
        metric={metric}
        use="counter"
        onPick={(metric) => pick('requests', { metric })}
        problem={metric === '' && show(problems)}
      />
      {metric !== '' && (
        <>
          <ControlGroup label="of them only those with" problem={show(problems.filter(isOfAll))}>
            {(invalid) => (
              <Filters
                label="All requests"
                sourceId={sourceId}
                of={{ metric, filters: [] }}
                filters={filters}
                onChange={(filters) => pick('requests', { filters })}
                invalid={invalid}
              />
            )}
          </ControlGroup>
          <div class="control-group">
            <Segments
              label="What is picked below"
              value={counts}
              of={{ bad: 'Bad are those with', good: 'Good are those with' }}
              onChange={(counts) => pick('requests', { counts })}
            />
            <ControlGroup problem={show(problems.filter((problem) => !isOfAll(problem)))}>
              {(invalid) => (
                <Filters
                  label={counts === 'bad' ? 'Bad requests' : 'Good requests'}
                  sourceId={sourceId}
                  of={{ metric, filters: completeFilters(filters) }}
                  filters={matching}
                  defaultOperator="=~"
                  onChange={(matching) => pick('requests', { matching })}
                  invalid={invalid}
                />
              )}
            </ControlGroup>
            {matching.length === 0 && (
              <p class="hint">
                For HTTP, what the server failed to answer:{' '}
                <Button small onClick={() => pick('requests', { counts: 'bad', matching: [serverFailed] })}>
                  code =~ 5.. as bad
                </Button>
              </p>
            )}
          </div>
        </>
      )}
    </>
  )
}
