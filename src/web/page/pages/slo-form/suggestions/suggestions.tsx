import { useId, useState } from 'preact/hooks'
import { whyNot } from '../../../api/rights.ts'
import type { Suggestion, Suggestions as Found } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { link } from '../../../address/base.ts'
import type { Kind } from '../../../address/new-slo.ts'
import { formatPercent, formatTarget } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Read } from '../../../ui/read.tsx'
import { useCreateSuggested } from '../../../slo/suggestions/create.ts'
import { describeGroup, type Group, groupSuggestions } from '../../../slo/suggestions/groups.ts'
import { Sparkline } from './sparkline.tsx'
import { reachedWords, requestsWords, suggestionWords } from './words.ts'
import { showAllLabel } from '../../../ui/named-words.ts'

type Props = {
  sourceId: number
  /** Kind of the form; suggestions of other kinds are shown on request. */
  kind: Kind
  /** Fills the suggestion into the form. */
  onUse: (suggestion: Suggestion) => void
}

const shownAtFirst = 3

/** Suggested SLOs of a source: by metric, one line for each service, to fill into the form or to create at once. */
export function Suggestions({ sourceId, kind, onUse }: Props) {
  const found = useRead<Found>(`/tsdb/sources/${sourceId}/suggestions`)
  const headingId = useId()
  return (
    <section class="card suggestions" aria-labelledby={headingId}>
      <h2 id={headingId}>{suggestionWords.title}</h2>
      <Read of={found} heightPx={132}>
        {(value) => <Groups key={kind} found={value} kind={kind} onUse={onUse} />}
      </Read>
    </section>
  )
}

const suggestedKinds: Record<Kind, readonly Suggestion['kind'][]> = {
  requests: ['availability'],
  latency: ['latency'],
  site: ['probe'],
  jobs: [],
  promql: ['availability', 'latency', 'probe', 'up'],
}

function Groups({ found, kind, onUse }: { found: Found } & Pick<Props, 'kind' | 'onUse'>) {
  const [isAll, setAll] = useState(false)
  const all = groupSuggestions(found.suggestions)
  const groups = isAll ? all : all.filter((group) => suggestedKinds[kind].includes(group.kind))
  const others = all.length - groups.length
  return (
    <>
      {all.length === 0 && kind !== 'jobs' ? (
        <p class="muted">{found.metrics_found === 0 ? suggestionWords.noMetrics : suggestionWords.noTraffic}</p>
      ) : groups.length === 0 ? (
        <p class="muted">{kind === 'jobs' ? suggestionWords.noneOfJobs : suggestionWords.noneOfKind}</p>
      ) : (
        groups.map((group, at) => <GroupOf key={group.key} group={group} isFirst={at === 0} onUse={onUse} />)
      )}
      {others > 0 && (
        <Button small kind="quiet" onClick={() => setAll(true)}>
          Show those of other kinds
        </Button>
      )}
      {found.gaps.length > 0 && (
        <p
          class="hint"
          title={found.gaps.map(({ metric, message }) => [metric, message].filter(Boolean).join(': ')).join('\n')}
        >
          {suggestionWords.missing}
        </p>
      )}
    </>
  )
}

function GroupOf({ group, isFirst, onUse }: { group: Group; isFirst: boolean; onUse: Props['onUse'] }) {
  const [isAll, setAll] = useState(group.suggestions.length <= shownAtFirst + 1)
  const shown = isAll ? group.suggestions : group.suggestions.slice(0, shownAtFirst)
  return (
    <details class="found" open={isFirst}>
      <summary>
        <Icon name="chevron-down" size={14} />
        <code title={group.metric}>{group.metric}</code>
        <span class="muted">{describeGroup(group)}</span>
        <span class="hint">{suggestionWords.kinds[group.kind]}</span>
      </summary>
      <ul>
        {shown.map((one) => (
          <Row key={one.key} suggestion={one} onUse={onUse} />
        ))}
      </ul>
      {shown.length < group.suggestions.length && (
        <Button small kind="quiet" onClick={() => setAll(true)}>
          {showAllLabel(group.suggestions.length)}
        </Button>
      )}
    </details>
  )
}

function Row({ suggestion, onUse }: { suggestion: Suggestion; onUse: Props['onUse'] }) {
  const { slo, days, reason, suggested_target: suggested, slo_id: sloId } = suggestion
  const { run, isBusy } = useCreateSuggested('/slos/new')
  return (
    <li>
      <span class="name" title={slo.name}>
        {slo.name}
        <small>{eventsOf(suggestion)}</small>
      </span>
      <Sparkline days={days} />
      <span class="goal" title={reason}>
        {formatTarget(slo.target)}&thinsp;%
        <small>{suggested === null ? 'to begin with' : reachedOf(suggestion)}</small>
      </span>
      <span class="actions">
        <Button small onClick={() => onUse(suggestion)} aria-label={`${suggestionWords.use}: ${slo.name}`}>
          {suggestionWords.use}
        </Button>
        {sloId === null ? (
          <Button
            small
            isBusy={isBusy}
            unavailable={whyNot('edit')}
            onClick={() => void run(suggestion)}
            aria-label={`${suggestionWords.create}: ${slo.name}`}
          >
            {suggestionWords.create}
          </Button>
        ) : (
          <a href={link(`/slos/${sloId}`)} aria-label={`${suggestionWords.hasSlo}: ${slo.name}`}>
            {suggestionWords.hasSlo}
          </a>
        )}
      </span>
    </li>
  )
}

/** Share that was reached, rounded down. */
function reachedOf({ reached_percent: percent }: Suggestion): string {
  if (percent === null) return ''
  return reachedWords(percent === 100 ? formatPercent(100) : formatPercent(Math.floor(percent * 1000) / 1000, 3))
}

function eventsOf({ events_per_day: events, kind }: Suggestion): string {
  if (events === null) return kind === 'probe' || kind === 'up' ? 'share of time' : ''
  return requestsWords(Math.round(events))
}
