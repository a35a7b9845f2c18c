import { windowFact } from '../../../slo/own-window.ts'
import { policyWords } from '../../../slo/policy/policy-words.ts'
import type { ComponentChildren } from 'preact'
import { ofSlo } from '../../../api/live-reads.ts'
import type { Alerting } from '../../../api/history.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import type { Slo } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { useRead } from '../../../api/use-read.ts'
import { formatTarget } from '../../../format.ts'
import { LinkButton } from '../../../ui/button.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Read } from '../../../ui/read.tsx'
import { Time } from '../../../ui/time.tsx'
import { WhenSeen } from '../../../ui/when-seen.tsx'
import { tierSentence } from '../../../incidents/alert-words.ts'
import { pathOf } from '../over-time/explore-link.ts'
import { serviceHoursText } from '../../../slo/service-hours-words.ts'
import { Revisions } from './revisions.tsx'
import { createdWords, kindOf, revisionWords, sourceWords, thresholdsWords } from './words.ts'

/** View of an SLO's definition, its alert tiers, and its revisions. */
export function DefinitionView({ slo }: { slo: Slo }) {
  const policy = slo.policy_in_force
  const alerting = useRead<Alerting>(`/slos/${slo.id}/alerting`, { live: ofSlo(slo.id) })
  return (
    <>
      <section class="card section">
        <h2>Definition</h2>
        {slo.description !== '' && <p class="description">{slo.description}</p>}
        <dl class="facts">
          <Fact name="Kind">{kindOf(slo)}</Fact>
          <Fact name="Target">{`${formatTarget(slo.target)}\u2009%`}</Fact>
          <Fact name="Window">{windowFact(slo)}</Fact>
          {slo.composite === null && <Fact name="Source">{sourceWords(slo.source_name, slo.source_id === null)}</Fact>}
          <Fact name="Team">{slo.team_name}</Fact>
          {slo.owner !== '' && <Fact name="Owner">{slo.owner}</Fact>}
          {slo.runbook_url !== '' && (
            <Fact name="Runbook">
              <a href={slo.runbook_url} target="_blank" rel="noreferrer">
                {slo.runbook_url}
              </a>
            </Fact>
          )}
          {policy && (
            <Fact name={policy.source === 'team' ? 'Error budget policy of the team' : 'Error budget policy'}>
              {policy.lines.map((line) => (
                <p key={line.percent_left}>{policyWords(line)}</p>
              ))}
            </Fact>
          )}
          {slo.service_hours !== null && <Fact name="Service hours">{serviceHoursText(slo.service_hours)}</Fact>}
          <Fact name="Labels">
            {Object.keys(slo.labels).length === 0
              ? 'none'
              : Object.entries(slo.labels).map(([name, value]) => (
                  <span key={name} class="label">
                    {name}={value}
                  </span>
                ))}
          </Fact>
          <Fact name="Created">{createdWords(<Time ms={Date.parse(slo.created_at)} />, slo.created_by_name)}</Fact>
          <Fact name="Revision">{revisionWords(slo.revision, <Time ms={Date.parse(slo.measured_since)} />)}</Fact>
        </dl>
        <Queries slo={slo} />
      </section>
      <section class="card section">
        <h2>Alert tiers</h2>
        <Read of={alerting} heightPx={96}>
          {(value) => <Tiers slo={slo} alerting={value} />}
        </Read>
      </section>
      <section class="card section">
        <h2>Revisions</h2>
        <WhenSeen heightPx={240}>{() => <Revisions slo={slo} />}</WhenSeen>
      </section>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Queries({ slo }: { slo: Slo }) {
  const hasPair = slo.good_query !== null || slo.bad_query !== null
  const queries: [name: string, inSentence: string, query: string | null][] = [
    ['Good events', 'good events', slo.good_query],
    ['Bad events', 'bad events', slo.bad_query],
    ['All events', 'all events', slo.total_query],
    [...(hasPair ? (['As one query', 'as one query'] as const) : (['Query', 'query'] as const)), slo.metric_query],
  ]
  return (
    <dl class="queries">
      {queries.map(
        ([name, inSentence, query]) =>
          query !== null &&
          query !== '' && (
            <div key={name}>
              <dt>
                {name}
                <span>
                  <Copy text={query} of={inSentence} />
                  <LinkButton small kind="quiet" icon="compass" href={link(pathOf(slo, [query]))}>
                    Explore
                  </LinkButton>
                </span>
              </dt>
              <dd>
                <pre>{query}</pre>
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}

function Tiers({
  slo,
  alerting: { burn_rate_tiers: tiers, budget_thresholds: thresholds },
}: {
  slo: Slo
  alerting: Alerting
}) {
  return (
    <ul class="tiers">
      {tiers.map((tier) => (
        <li key={`${tier.long_window} ${tier.short_window}`}>
          <strong>{severityWords[tier.severity] ?? tier.severity}</strong>
          <span>
            {tierSentence(tier, slo.time_window)}
            {!tier.enabled && <span class="muted"> · switched off</span>}
          </span>
        </li>
      ))}
      {tiers.length === 0 && <li class="muted">It has no tier.</li>}
      <li>
        <strong>Budget</strong>
        <span>{thresholdsWords(thresholds)}</span>
      </li>
    </ul>
  )
}
