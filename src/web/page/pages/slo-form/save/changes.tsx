import type { Slo, Source } from '../../../api/types.ts'
import { fieldName } from '../../../slo/change-words.ts'
import { isQuery, valueText } from '../../../slo/change-values.ts'
import { definitionOfSlo, type Draft } from '../draft.ts'
import { measuredBy } from '../../../slo/measured-by.ts'
import { burnRateRuleSeverities } from '../fields/own-rules.ts'
import { type AlertingSettings, changedAlerting, changedFields } from './save.ts'
import { revisionSentences, sourceNumberWords } from './words.ts'

/** Changes that saving will make, and since when they count. */
export function WhatChanges(props: {
  slo: Slo
  draft: Draft
  storedAlerting: AlertingSettings
  sources: readonly Source[]
}) {
  const { slo, draft, storedAlerting, sources } = props
  const fields = changedFields(slo, draft)
  const alerting = changedAlerting(draft, storedAlerting)
  const hasOtherChannels = JSON.stringify(burnRateRuleSeverities(storedAlerting.rules)) !== JSON.stringify(draft.notify)
  const storedValues: Record<string, unknown> = {
    ...slo,
    ...definitionOfSlo(slo),
    burn_rate_tiers: storedAlerting.tiers,
    budget_thresholds: storedAlerting.thresholds,
  }
  const changed = Object.entries({ ...fields, ...alerting })
  const names = Object.keys(fields)
  const isNewRevision = measuredBy.some((name) => names.includes(name))
  if (changed.length === 0 && !hasOtherChannels) return null
  const textOf = (field: string, value: unknown) =>
    field === 'source_id' ? sourceName(value, sources) : valueText(field, value)
  return (
    <section class="card what-changes" aria-labelledby="what-changes">
      <h2 id="what-changes">What changes</h2>
      <dl>
        {changed.map(([field, newValue]) => (
          <div key={field}>
            <dt>{fieldName(field)}</dt>
            <dd class={isQuery(field) ? 'code' : undefined}>
              <del>{textOf(field, storedValues[field])}</del> <span aria-hidden="true">→</span>{' '}
              <ins>{textOf(field, newValue)}</ins>
            </dd>
          </div>
        ))}
        {hasOtherChannels && (
          <div>
            <dt>notify</dt>
            <dd>other channels</dd>
          </div>
        )}
      </dl>
      {names.includes('target') && <p>The target counts at once, for the past too.</p>}
      {names.includes('time_window') && <p>The window counts at once, and the standard alert tiers are those of it.</p>}
      {isNewRevision && (
        <p>
          {revisionSentences(slo.revision + 1, (text) => (
            <strong>{text}</strong>
          ))}
        </p>
      )}
    </section>
  )
}

function sourceName(id: unknown, sources: readonly Source[]): string {
  return id === null
    ? 'the default'
    : (sources.find((source) => source.id === id)?.name ?? sourceNumberWords(String(id)))
}
