import { ofSlo } from '../../../api/live-reads.ts'
import type { Alerting, Alerts, Recipients, Rules } from '../../../api/history.ts'
import type { Slo } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { link } from '../../../address/base.ts'
import { LinkButton } from '../../../ui/button.tsx'
import { usePage } from '../../../ui/pager.tsx'
import { Read } from '../../../ui/read.tsx'
import { canBeDown } from '../../../slo/recipients/recipients.ts'
import { WhenSeen } from '../../../ui/when-seen.tsx'
import { WhoIsNotified } from '../../../slo/recipients/who-is-notified.tsx'
import { ResolvedAlerts, FiringAlerts } from '../../../incidents/alert-table.tsx'
import { Conditions, NotificationRules } from './conditions.tsx'

/** Firing alerts of an SLO, its alert conditions, its rules, and its past alerts. */
export function AlertingView({ slo }: { slo: Slo }) {
  const page = usePage()
  const list = `/notifications/alerts?slo_id=${slo.id}&state=all&include=notifications&page_size=20`
  const live = ofSlo(slo.id)
  const latest = useRead<Alerts>(list, { live }) // firing alerts come first
  const listed = useRead<Alerts>(page === 1 ? list : `${list}&page=${page}`, { live })
  const alerting = useRead<Alerting>(`/slos/${slo.id}/alerting`, { live })
  const recipients = useRead<Recipients>(`/slos/${slo.id}/recipients`, { when: slo.active, live })
  // until the parts above have their heights, the rules below them would be in view, and be read too early
  const isPlaced = [latest, alerting, recipients].every(({ value, error }) => value.value || error.value)
  return (
    <>
      <section class="card section">
        <h2>Firing now</h2>
        <Read of={latest} heightPx={48}>
          {({ alerts }) => (
            <FiringAlerts
              alerts={alerts.filter(({ ended_at }) => ended_at === null)}
              caption="Alerts that fire now"
              empty="Nothing is firing."
            />
          )}
        </Read>
      </section>
      <section class="card section">
        <h2>When it alerts</h2>
        <Read of={alerting} heightPx={200}>
          {(value) => <Conditions slo={slo} alerting={value} recipients={recipients.value.value} />}
        </Read>
      </section>
      <section class="card section">
        <div class="split">
          <h2>Who is notified</h2>
          {slo.active && (
            <LinkButton small href={link(`/notify/rules?new=1&slo=${slo.id}`)}>
              Add a rule
            </LinkButton>
          )}
        </div>
        {slo.active && (
          <Read of={recipients} heightPx={200}>
            {(value) => (
              <WhoIsNotified
                recipients={value}
                canBeDown={canBeDown(slo.metric_query, slo.good_query, slo.bad_query)}
              />
            )}
          </Read>
        )}
        {(isPlaced || !slo.active) && <WhenSeen heightPx={0}>{() => <OwnRules sloId={slo.id} />}</WhenSeen>}
      </section>
      <section class="card section">
        <h2>History</h2>
        <Read of={listed} heightPx={240}>
          {(value) => (
            <ResolvedAlerts
              alerts={value.alerts.filter(({ ended_at }) => ended_at !== null)}
              caption="Alerts that have ended"
              empty="No alert has ended yet."
              pager={{ of: value, what: 'alerts' }}
            />
          )}
        </Read>
      </section>
    </>
  )
}

function OwnRules({ sloId }: { sloId: number }) {
  const rules = useRead<Rules>(`/notifications/rules?slo_id=${sloId}`, { live: ofSlo(sloId) })
  return (
    <div class="own-rules">
      <NotificationRules rules={rules.value.value?.data ?? []} />
    </div>
  )
}
