import { whyNot } from '../../../api/rights.ts'
import type { Probe, Source } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { TextField } from '../../../ui/form/field.tsx'
import type { Form } from '../form-state.ts'
import { ControlGroup } from '../control-group.tsx'
import { Filters } from '../picks/filters.tsx'
import { Segments } from './segments.tsx'
import { noResultsSentences } from '../words.ts'

/** Codes of problems of a preview without data, as for a check before its first result. */
const noDataCodes: ReadonlySet<string> = new Set(['no_metric', 'no_matching_series', 'no_series', 'no_data'])

/** Fields of the kind `site`: an existing probe, a new probe created with the SLO, or probe_success of another source. */
export function SiteFields({ form, sources }: { form: Form; sources: readonly Source[] }) {
  const { draft, pick, change, sourceId, problemsOf, problemsAt, show } = form
  const { by, filters, url } = draft.picks.site
  const probes = useRead<{ probes: Probe[] }>('/embedded/probes').value.value?.probes ?? []
  const embedded = sources.find(({ api_url }) => api_url === 'embedded')
  const [onlyFilter] = filters.length === 1 ? filters : []
  const isChosen = ({ name }: Probe) =>
    sourceId === embedded?.id && onlyFilter?.label === 'job' && onlyFilter.op === '=' && onlyFilter.value === name
  const chosen = probes.find(isChosen)
  const problems = problemsOf('metric_query')
  const isWithoutResults = chosen !== undefined && problems.some(({ code }) => noDataCodes.has(code ?? ''))
  return (
    <>
      <Segments
        label="What requests the site"
        value={by}
        of={{ series: 'A check that there is', address: 'A new check of an address' }}
        onChange={(by) => pick('site', { by })}
      />
      {by === 'address' ? (
        <div class="control-group">
          <TextField
            label="Address"
            inputMode="url"
            value={url}
            placeholder="https://shop.example.com/health"
            hint="nines requests it every 30 seconds, from the moment you create the SLO, if it answers then."
            onValue={(url) => pick('site', { url })}
            problem={problemsAt('url')}
          />
          {whyNot('administer') && <p class="hint">Only an administrator can create a check.</p>}
        </div>
      ) : (
        <>
          {embedded && probes.length > 0 && (
            <div class="control-group">
              <span class="control-group-label">Checks of this nines</span>
              <div class="cluster" role="group" aria-label="Checks of this nines">
                {probes.map((probe) => (
                  <button
                    key={probe.id}
                    type="button"
                    class="button plain small"
                    aria-pressed={probe === chosen}
                    title={probe.target}
                    onClick={() => {
                      change({ sourceId: embedded.is_default ? null : embedded.id })
                      pick('site', { filters: [{ label: 'job', op: '=', value: probe.name }] })
                    }}
                  >
                    {probe.name}
                  </button>
                ))}
              </div>
              {isWithoutResults && (
                <p class="hint" role="status">
                  {noResultsSentences(chosen.interval_seconds)}
                </p>
              )}
            </div>
          )}
          <ControlGroup label="Checks with" problem={isWithoutResults ? undefined : show(problems)}>
            {(invalid) => (
              <Filters
                label="Checks"
                sourceId={sourceId}
                of={{ metric: 'probe_success', filters: [] }}
                filters={filters}
                onChange={(filters) => pick('site', { filters })}
                invalid={invalid}
              />
            )}
          </ControlGroup>
        </>
      )}
    </>
  )
}
