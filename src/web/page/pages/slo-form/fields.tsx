import type { Rules } from '../../api/history.ts'
import type { Source } from '../../api/types.ts'
import type { SuggestedTarget } from '../../what-if/suggest-target.ts'
import type { Kind } from '../../address/new-slo.ts'
import { About } from './fields/about.tsx'
import { ForEach, type Grouped } from './fields/for-each.tsx'
import { AlertingFields } from './fields/alerting.tsx'
import { Policy } from './fields/policy.tsx'
import { Measuring } from './fields/measuring.tsx'
import { NotifyFields } from './fields/notify.tsx'
import { ServiceHoursFields } from './fields/service-hours.tsx'
import { Objective } from './fields/objective.tsx'
import { SourceField } from './fields/source.tsx'
import type { Form } from './form-state.ts'
import { JobsFields } from './kinds/jobs.tsx'
import { LatencyFields } from './kinds/latency.tsx'
import { Queries } from './kinds/queries.tsx'
import { RequestsFields } from './kinds/requests.tsx'
import { Segments } from './kinds/segments.tsx'
import { SiteFields } from './kinds/site.tsx'
import { definitionOfDraft } from './draft.ts'
import { writtenOf } from './picks/read.ts'

const kindWords: Record<Kind, string> = {
  requests: 'Requests succeed',
  latency: 'Requests are fast',
  site: 'A site answers',
  jobs: 'Jobs done',
  promql: 'PromQL',
}

type Props = {
  form: Form
  sources: readonly Source[]
  suggestion: SuggestedTarget | null
  rules: Rules['data']
  isEdited: boolean
  /** Values that can get an SLO each. */
  grouped: Grouped | null
}

/** Choice of the kind. */
export function KindField({ form: { draft, change } }: Pick<Props, 'form'>) {
  const choose = (kind: Kind) => {
    const definition = kind === 'promql' && draft.kind !== 'promql' ? definitionOfDraft(draft) : null
    const promql = definition ? writtenOf(definition) : draft.picks.promql
    change({ kind, before: null, picks: { ...draft.picks, promql } })
  }
  return <Segments label="What should work?" isLabelShown value={draft.kind} of={kindWords} onChange={choose} />
}

/** Fields of the form, from source and queries to notifications and alerting. */
export function Fields({ form, sources, suggestion, rules, isEdited, grouped }: Props) {
  const { draft } = form
  return (
    <>
      <div class="card form-card">
        <SourceField form={form} sources={sources} />
        {draft.kind === 'requests' && <RequestsFields form={form} />}
        {draft.kind === 'latency' && <LatencyFields form={form} />}
        {draft.kind === 'site' && <SiteFields form={form} sources={sources} />}
        {draft.kind === 'jobs' && <JobsFields form={form} />}
        <Queries form={form} />
        <ForEach form={form} grouped={grouped} />
        <Measuring form={form} />
      </div>
      <div class="card form-card">
        <Objective form={form} suggestion={suggestion} />
        <ServiceHoursFields form={form} />
      </div>
      <div class="card form-card">
        <About form={form} isEdited={isEdited} />
      </div>
      <div class="card form-card">
        <NotifyFields form={form} rules={rules} />
        <AlertingFields form={form} />
        <Policy form={form} />
      </div>
    </>
  )
}
