import { useEffect, useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { firingAlerts } from '../../api/firing.ts'
import type { Alerts, AlertTimeline, Silences } from '../../api/history.ts'
import { me } from '../../api/session.ts'
import type { Overview } from '../../api/types.ts'
import { useResource } from '../../api/use-resource.ts'
import { ResolvedAlerts, FiringAlerts } from '../../incidents/alert-table.tsx'
import { link } from '../../address/base.ts'
import { formatNumber, formatWindow } from '../../format.ts'
import { openSilence } from '../../silence/request.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { pageOfUrl, Pager } from '../../ui/pager.tsx'
import { Read } from '../../ui/read.tsx'
import { minuteMs } from '../../ui/time.tsx'
import { urlWith } from '../../address/url.ts'
import { words } from '../../words.ts'
import { AlertFilters } from './filters.tsx'
import { Timeline } from './timeline.tsx'
import { useAlertKeys } from './use-alert-keys.ts'
import { useAlertReads } from './use-alert-reads.ts'
import { filterQuery, isFiltered, readAlertsView, startOf } from './view.ts'

/** Firing alerts, alerts that ended in a time range, and their notifications. */
export function AlertsList() {
  const { url } = useLocation()
  const view = useMemo(() => readAlertsView(url.split('?')[1] ?? ''), [url])
  const startMs = startOf(view.range, minuteMs.value)
  const page = pageOfUrl(url)
  const filter = filterQuery(view)
  const during = `start=${new Date(startMs).toISOString()}${filter}`
  const list = '/notifications/alerts?include=notifications'
  const firing = useResource<Alerts>(`${firingAlerts}${filter}`)
  const ended = useResource<Alerts>(`${list}&state=ended&${during}&page_size=20${page === 1 ? '' : `&page=${page}`}`)
  const timeline = useResource<AlertTimeline>(`/notifications/alerts/timeline?${during}`)
  const silences = useResource<Silences>('/notifications/silences?state=active&page_size=1')
  const overview = useResource<Overview>('/slos/overview')
  useAlertReads([firing, ended, timeline, silences])
  useAlertKeys()
  useEffect(() => {
    document.title = `Alerts · ${words.product}`
  }, [])
  const counts = {
    firing: firing.value.value?.total,
    ended: ended.value.value?.total,
    silences: silences.value.value?.total,
  }
  const window = formatWindow(view.range)
  return (
    <div class="page alerts-page">
      <header class="page-head">
        <h1>Alerts</h1>
        <div class="actions">
          <Button
            icon="bell-off"
            unavailable={me.value?.role === 'viewer' ? words.viewer : undefined}
            onClick={() => openSilence()}
          >
            Silence…
          </Button>
        </div>
      </header>
      <nav class="views" aria-label="Alerts shown">
        {(
          [
            ['', 'All', undefined],
            ['firing', 'Firing', counts.firing],
            ['ended', `Ended, last ${window}`, counts.ended],
          ] as const
        ).map(([state, label, count]) => (
          <a
            key={state}
            href={urlWith(url, { state: state || null, page: null })}
            aria-current={state === view.state ? 'page' : undefined}
          >
            {label} <Count of={count} />
          </a>
        ))}
        <a href={link('/notify/silences')}>
          Silences <Count of={counts.silences} />
        </a>
      </nav>
      <AlertFilters view={view} slos={overview.value.value?.slos ?? []} />
      {view.state !== 'ended' && (
        <section class="card section" aria-labelledby="firing-now">
          <h2 id="firing-now">Firing now</h2>
          <Read of={firing} heightPx={88}>
            {({ alerts }) =>
              alerts.length === 0 ? (
                <NothingFires isFiltered={isFiltered(view)} />
              ) : (
                <FiringAlerts alerts={alerts} caption="Alerts that fire now" ofMany />
              )
            }
          </Read>
        </section>
      )}
      {view.state === '' && (
        <section class="card section">
          <Read of={timeline} heightPx={200}>
            {(value) => <Timeline timeline={value} startMs={startMs} endMs={minuteMs.value} />}
          </Read>
        </section>
      )}
      {view.state !== 'firing' && (
        <section class="card section" aria-labelledby="ended">
          <h2 id="ended">Ended, last {window}</h2>
          <Read of={ended} heightPx={240}>
            {(value) => (
              <>
                {value.alerts.length === 0 ? (
                  <p class="muted">No alert{isFiltered(view) ? ' like that' : ''} has ended in this time.</p>
                ) : (
                  <ResolvedAlerts alerts={value.alerts} caption={`Alerts that ended in the last ${window}`} ofMany />
                )}
                <Pager of={value} what="alerts" />
              </>
            )}
          </Read>
        </section>
      )}
    </div>
  )
}

function Count({ of }: { of: number | undefined }) {
  return of === undefined ? null : <span class="count">{formatNumber(of)}</span>
}

function NothingFires({ isFiltered }: { isFiltered: boolean }) {
  return (
    <p class="with-icon muted nothing-fires">
      <Icon name="check" />
      {isFiltered
        ? 'Nothing like that is firing.'
        : 'Nothing is firing. When a budget burns too fast or a status gets worse, it is here, and who was notified.'}
    </p>
  )
}
