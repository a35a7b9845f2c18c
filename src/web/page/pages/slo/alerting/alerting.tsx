import { useLocation } from 'preact-iso/router'
import type { Alerting, Alerts, Rules } from '../../../api/history.ts'
import { useLiveReads } from '../../../api/live-reads.ts'
import type { Slo } from '../../../api/types.ts'
import { useResource } from '../../../api/use-resource.ts'
import { Read } from '../../../ui/states.tsx'
import { pageOfUrl } from '../../../ui/pager.tsx'
import { WhenSeen } from '../../../ui/when-seen.tsx'
import { AlertTable } from './alert-table.tsx'
import { Conditions, NotificationRules } from './conditions.tsx'

/** What fires, when it does, who is notified, and what fired before. */
export function AlertingView({ slo }: { slo: Slo }) {
  const firing = useResource<Alerts>(`/notifications/alerts?slo_id=${slo.id}&state=firing&include=notifications`)
  const alerting = useResource<Alerting>(`/slos/${slo.id}/alerting`)
  const rules = useResource<Rules>(`/notifications/rules?slo_id=${slo.id}`)
  useLiveReads(slo.id, [firing, alerting, rules])
  return (
    <>
      <section class="card section">
        <h2>Firing now</h2>
        <Read of={firing} heightPx={48}>
          {({ alerts }) =>
            alerts.length === 0 ? <p class="muted">Nothing is firing.</p> : <AlertTable alerts={alerts} isFiring />
          }
        </Read>
      </section>
      <section class="card section">
        <h2>When it alerts</h2>
        <Read of={alerting} heightPx={200}>
          {(value) => <Conditions slo={slo} alerting={value} rules={rules.value.value?.data} />}
        </Read>
      </section>
      <section class="card section">
        <h2>Who is notified</h2>
        <Read of={rules} heightPx={120}>
          {({ data }) => <NotificationRules rules={data} />}
        </Read>
      </section>
      <section class="card section">
        <h2>History</h2>
        <WhenSeen heightPx={240}>{() => <History slo={slo} />}</WhenSeen>
      </section>
    </>
  )
}

function History({ slo }: { slo: Slo }) {
  const page = pageOfUrl(useLocation().url)
  const path = `/notifications/alerts?slo_id=${slo.id}&state=ended&include=notifications&page=${page}&page_size=20`
  const ended = useResource<Alerts>(path)
  useLiveReads(slo.id, [ended])
  return (
    <Read of={ended} heightPx={240}>
      {(value) =>
        value.total === 0 ? (
          <p class="muted">No alert has ended yet.</p>
        ) : (
          <AlertTable alerts={value.alerts} paged={value} />
        )
      }
    </Read>
  )
}
