import type { ComponentChildren } from 'preact'
import { link } from '../../address/base.ts'
import { ofIncidents } from '../../api/live-reads.ts'
import type { Alerts, AlertTimeline, IncidentList, Silences } from '../../api/history.ts'
import type { Resource } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import type { Overview } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { formatNumber, formatWindow } from '../../format.ts'
import { hasOpenIncident, openOf } from '../../incidents/incident-words.ts'
import { openSilence } from '../../silence/request.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Read } from '../../ui/read.tsx'
import { currentMinuteMs } from '../../ui/time.tsx'
import { useAddress } from '../../address/fields.ts'
import { OtherAlerts, otherFiring } from './alerts/other-alerts.tsx'
import { Timeline } from './alerts/timeline.tsx'
import { IncidentFilters } from './filters.tsx'
import { IncidentTable } from './incident-table.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { filterQuery, type IncidentsView, isFiltered, startOf, viewFields } from './view.ts'
import { closedCaption, closedTitle, noneClosedSentence, otherAlertsWords, silencesWords } from './words.ts'

/** Incidents, open ones first, those that were closed in a time range, and alerts that belong to none. */
export function IncidentsList() {
  const { fields: view, to } = useAddress(viewFields)
  const others = useRead<Alerts>(otherFiring, { live: ofIncidents() })
  const silences = useRead<Silences>('/notifications/silences?state=active&page_size=1', { live: ofIncidents() })
  const overview = useRead<Overview>('/slos/overview')
  useRowKeys()
  const tab = (part: IncidentsView['view'], state: IncidentsView['state'], label: ComponentChildren) => ({
    to: to({ view: part, state, page: 1 }),
    label,
    isCurrent: part === view.view && (part === 'alerts' || state === view.state),
  })
  return (
    <Page
      title="Incidents"
      class="incidents"
      actions={
        <Button icon="bell-off" unavailable={whyNot('edit')} onClick={() => openSilence()}>
          Silence…
        </Button>
      }
      views={{
        label: 'Shown',
        tabs: [
          tab('', '', 'All'),
          tab('', 'open', 'Open'),
          tab('', 'closed', 'Closed'),
          tab('alerts', '', otherAlertsWords(count(others))),
          { to: link('/notify/silences'), label: silencesWords(count(silences)) },
        ],
      }}
    >
      <IncidentFilters slos={overview.value.value?.slos ?? []} />
      {view.view === 'alerts' ? <OtherAlerts view={view} /> : <Incidents view={view} />}
    </Page>
  )
}

function Incidents({ view }: { view: IncidentsView }) {
  const { page } = view
  const state = view.state || 'all'
  const rangeQuery = `&start=${new Date(startOf(view.range, currentMinuteMs.value)).toISOString()}`
  const list = useRead<IncidentList>(
    `/incidents?state=${state}&include=notifications${rangeQuery}${filterQuery(view)}${page === 1 ? '' : `&page=${page}`}`,
    { live: ofIncidents({ isFailing: (sloId, list) => hasOpenIncident(sloId, ...(list?.incidents ?? [])) }) },
  )
  const hasTimeline = view.state === '' && view.severity === '' && page === 1
  const window = formatWindow(view.range)
  return (
    <Read of={list} heightPx={160}>
      {(value) => {
        const open = openOf(value)
        const closed = value.incidents.filter(({ closed_at }) => closed_at !== null)
        const hasNoneOpen = view.state !== 'closed' && page === 1 && open.length === 0
        return (
          <>
            {(open.length > 0 || hasNoneOpen) && (
              <section class="card section" aria-labelledby="open">
                <h2 id="open">Open</h2>
                {hasNoneOpen ? (
                  <NothingFails isFiltered={isFiltered(view)} />
                ) : (
                  <IncidentTable incidents={open} caption="Open incidents" />
                )}
              </section>
            )}
            {hasTimeline && <AlertsOverTime view={view} />}
            {view.state !== 'open' && (closed.length > 0 || (page === 1 && !value.has_next)) && (
              <section class="card section" aria-labelledby="closed">
                <h2 id="closed">{closedTitle(window)}</h2>
                {closed.length === 0 ? (
                  <p class="muted">{noneClosedSentence(isFiltered(view))}</p>
                ) : (
                  <IncidentTable incidents={closed} caption={closedCaption(window)} />
                )}
              </section>
            )}
            <Pager of={value} what="incidents" />
          </>
        )
      }}
    </Read>
  )
}

/** Timeline of all alerts of the range, those of incidents and others. */
function AlertsOverTime({ view }: { view: IncidentsView }) {
  const startMs = startOf(view.range, currentMinuteMs.value)
  const rangeQuery = `start=${new Date(startMs).toISOString()}${filterQuery(view)}`
  const timeline = useRead<AlertTimeline>(`/notifications/alerts/timeline?${rangeQuery}`, { live: ofIncidents() })
  return (
    <section class="card section">
      <Read of={timeline} heightPx={200}>
        {(value) => <Timeline timeline={value} startMs={startMs} endMs={currentMinuteMs.value} />}
      </Read>
    </section>
  )
}

function count({ value: { value } }: Resource<{ total: number }>) {
  return value && <span class="count">{formatNumber(value.total)}</span>
}

function NothingFails({ isFiltered }: { isFiltered: boolean }) {
  return (
    <p class="with-icon muted nothing-fires">
      <Icon name="check" />
      {isFiltered
        ? 'No incident like that is open.'
        : 'No incident is open. When something is down or burns its budget too fast, it is here, and who was notified.'}
    </p>
  )
}
