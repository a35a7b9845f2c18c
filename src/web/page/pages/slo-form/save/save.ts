import type { Changes, Rules, TierRule } from '../../../api/history.ts'
import { ApiError, send } from '../../../api/client.ts'
import type { BulkAnswer, Slo } from '../../../api/types.ts'
import { aboutOf, bodyOf, definitionOfSlo, type Draft, type Notified } from '../draft.ts'
import { burnRateRuleSeverities, hasOutages, outageChannels, outageChannelsAfter } from '../fields/own-rules.ts'
import { embeddedSource, probeOf } from '../../../slo/first-slo.ts'
import { FieldProblem } from '../../../ui/form/assign-problems.ts'
import { withScheme } from '../../../ui/form/with-scheme.ts'

type Fields = Record<string, unknown>

/** Alerting of an SLO as it is stored, beside the SLO's own fields. `null`: the standard ones. */
export type AlertingSettings = { tiers: TierRule[] | null; thresholds: number[] | null; rules: Rules['data'] }

/** A stored SLO. `errors`: sentences about later steps that failed (alerting, rules). */
export type Saved = { id: number; warnings: string[]; errors: string[] }

/**
 * Creates the SLO of a draft, then its tiers and its rules. For a site without a probe it creates the probe first, and deletes
 * it if the site does not answer. `isForced`: the queries are stored unchecked. Throws `ApiError`; nothing is stored then.
 */
export async function createSlo(draft: Draft, isForced: boolean): Promise<Saved> {
  const about = aboutOf(draft)
  const force = isForced ? { force: true } : {}
  if (draft.kind === 'site' && draft.picks.site.by === 'address') {
    return withProbe(withScheme(draft.picks.site.url), async (definition) => {
      const body = {
        ...bodyOf({ ...draft, ...promqlFields(definition.metric_query) }),
        ...definition,
        ...about,
        force: true, // the new probe may have no samples yet
      }
      return finish(draft, await send<Slo & { warnings: string[] }>('POST', '/slos', { body }))
    })
  }
  const body = { ...bodyOf(draft), ...about, ...force }
  return finish(draft, await send<Slo & { warnings: string[] }>('POST', '/slos', { body }))
}

/** Draft fields with a query in place of the picks. */
function promqlFields(metric_query: string): Pick<Draft, 'kind' | 'picks' | 'read' | 'metricType'> {
  const promql = {
    type: 'ratio' as const,
    metric_query,
    counted: '',
    total_query: '',
    threshold: '',
    threshold_op: 'lte',
  }
  return { kind: 'promql', picks: { promql } as Draft['picks'], read: null, metricType: 'availability' }
}

/** Does `work` with a query of the probe of an address, which is created if there is none, and must answer. */
async function withProbe<T>(
  url: string,
  work: (definition: { source_id: number; metric_query: string }) => Promise<T>,
): Promise<T> {
  if (!URL.canParse(url)) throw new FieldProblem('url', 'must be an address, as in https://shop.example.com/health')
  const source_id = await embeddedSource()
  const { probe, isNew } = await probeOf(url)
  try {
    const { ok, error } = await send<{ ok: boolean; error: string | null }>(
      'POST',
      `/embedded/probes/${probe.id}/test`,
      {
        body: {},
      },
    )
    if (!ok) {
      throw new FieldProblem('url', `The address does not answer${error === null ? '' : `: ${error}`}`)
    }
    return await work({
      source_id,
      metric_query: `avg(avg_over_time(probe_success{job=${JSON.stringify(probe.name)}}[5m]))`,
    })
  } catch (error) {
    if (isNew) await send('DELETE', `/embedded/probes/${probe.id}`).catch(() => {})
    throw error
  }
}

/**
 * Creates an SLO for each value of a label, all or none, then the tiers and rules of all; gives their ids. Throws `ApiError`;
 * nothing is stored then.
 */
export async function createForEach(
  draft: Draft,
  { label, values }: { label: string; values: readonly string[] },
): Promise<{ ids: number[]; errors: string[] }> {
  const slo = { ...bodyOf(draft), ...aboutOf(draft) }
  try {
    const { results } = await send<BulkAnswer>('POST', '/slos/bulk', {
      body: { action: 'create_for_each', slo, label, values },
    })
    const ids = results.map(({ id }) => id)
    const errors: string[] = []
    for (const id of ids) errors.push(...(await saveAlerting(id, draft, standardAlerting)))
    return { ids, errors: [...errors, ...(await saveRules(ids, draft, standardAlerting))] }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const problems = error.problems.map((one) => ({ ...one, field: one.field.replace(/^slo\./, '') }))
    throw new ApiError(error.status, error.message, error.details, problems, error.retryAfterSeconds)
  }
}

/** Alerting of an SLO that is not stored yet. */
export const standardAlerting: AlertingSettings = { tiers: null, thresholds: null, rules: [] }

async function finish(draft: Draft, { id, warnings }: Slo & { warnings: string[] }): Promise<Saved> {
  return { id, warnings, errors: await saveAlertingSettings(id, draft, standardAlerting) }
}

/** Fields of an SLO that differ in a draft. */
export function changedFields(slo: Slo, draft: Draft): Fields {
  const stored: Fields = { ...slo, ...definitionOfSlo(slo) }
  const drafted: Fields = { ...bodyOf(draft), ...aboutOf(draft) }
  return Object.fromEntries(
    Object.entries(drafted).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(stored[name])),
  )
}

/** Tiers and thresholds that differ in a draft. */
export function changedAlerting(draft: Draft, storedAlerting: AlertingSettings): Fields {
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  return {
    ...(!isSame(draft.tiers, storedAlerting.tiers) && { burn_rate_tiers: draft.tiers }),
    ...(!isSame(draft.thresholds, storedAlerting.thresholds) && { budget_thresholds: draft.thresholds }),
  }
}

export type Request = { path: string; body: object }

/**
 * Requests that put back what saving a draft changes; none if it changes nothing. `slo`: as it was when the form was opened; `before`:
 * as it was just before the draft was saved.
 */
export function undoOf(slo: Slo, draft: Draft, storedAlerting: AlertingSettings, before = slo): Request[] {
  const was: Fields = {
    ...before,
    ...definitionOfSlo(before),
    burn_rate_tiers: storedAlerting.tiers,
    budget_thresholds: storedAlerting.thresholds,
  }
  const valuesBefore = (changed: Fields) => Object.fromEntries(Object.keys(changed).map((name) => [name, was[name]]))
  const [fields, alerting] = [
    valuesBefore(changedFields(slo, draft)),
    valuesBefore(changedAlerting(draft, storedAlerting)),
  ]
  const rules = ruleSettings([slo.id], rulesOf(storedAlerting.rules), rulesAfter(draft, storedAlerting.rules))
  const settings = rules.map((setting) => ({ ...ruleOptions(storedAlerting.rules, setting), ...setting }))
  return [
    ...(isEmpty(fields) ? [] : [{ path: `/slos/${slo.id}`, body: { ...fields, force: true } }]), // forced, since these queries were stored before
    ...(isEmpty(alerting) ? [] : [{ path: `/slos/${slo.id}/alerting`, body: alerting }]),
    ...(settings.length === 0 ? [] : [{ path: '/notifications/rules/settings', body: { settings } }]),
  ]
}

const isEmpty = (fields: Fields) => Object.keys(fields).length === 0

/** Priority, texts and limits of the rule that a setting creates again. */
function ruleOptions(
  rules: Rules['data'],
  { channel_id: channel, alert_type: type, enabled = false }: RuleSetting,
): Fields {
  const rule = enabled && rules.find((one) => one.enabled && one.channel_id === channel && one.alert_type === type)
  if (!rule) return {}
  const { priority, subject, message, max_retries, min_interval_seconds } = rule
  return {
    priority,
    max_retries,
    min_interval_seconds,
    ...(subject !== null && { subject }),
    ...(message !== null && { message }),
  }
}

/** Saves only the differences of a draft. Throws `ApiError`; the SLO itself is unchanged then. */
export async function changeSlo(
  slo: Slo,
  draft: Draft,
  storedAlerting: AlertingSettings,
  isForced: boolean,
): Promise<Saved> {
  const fields = changedFields(slo, draft)
  const alerting = changedAlerting(draft, storedAlerting)
  const hasChangedFields = Object.keys(fields).length > 0
  const body = { ...fields, ...(isForced && { force: true }) }
  const { warnings } = hasChangedFields
    ? await send<{ warnings: string[] }>('PUT', `/slos/${slo.id}`, { body })
    : { warnings: [] }
  if (!hasChangedFields && Object.keys(alerting).length > 0) {
    await send('PUT', `/slos/${slo.id}/alerting`, { body: alerting }) // its problems are shown at their fields
    return { id: slo.id, warnings, errors: await saveRules([slo.id], draft, storedAlerting) }
  }
  return { id: slo.id, warnings, errors: await saveAlertingSettings(slo.id, draft, storedAlerting) }
}

async function saveAlertingSettings(id: number, draft: Draft, storedAlerting: AlertingSettings): Promise<string[]> {
  return [...(await saveAlerting(id, draft, storedAlerting)), ...(await saveRules([id], draft, storedAlerting))]
}

async function saveAlerting(id: number, draft: Draft, storedAlerting: AlertingSettings): Promise<string[]> {
  const alerting = changedAlerting(draft, storedAlerting)
  const errors: string[] = []
  if (Object.keys(alerting).length > 0) {
    await send('PUT', `/slos/${id}/alerting`, { body: alerting }).catch((error: unknown) => {
      errors.push(`The alerting was not changed: ${textOf(error)}`)
    })
  }
  return errors
}

/** Rules of an SLO that its form changes. `burns`: severities of burn-rate rules, by channel id; `outages`: channels of rules for outages. */
type FormRules = { burns: Record<string, Notified>; outages: ReadonlySet<number> }

function rulesOf(rules: Rules['data']): FormRules {
  return { burns: burnRateRuleSeverities(rules), outages: outageChannels(rules) }
}

function rulesAfter(draft: Draft, rules: Rules['data']): FormRules {
  return { burns: draft.notify, outages: outageChannelsAfter(draft.notify, rules, hasOutages(draft)) }
}

type RuleSetting = {
  channel_id: number
  alert_type: string
  slo_ids: readonly number[]
  remove_slo_ids?: readonly number[]
  severity?: Notified | undefined
  enabled?: boolean
}

/** Settings of the rules of an SLO, for burn rates or outages, that are new, changed or removed: one for each channel and kind. */
export function ruleSettings(sloIds: readonly number[], after: FormRules, before: FormRules): RuleSetting[] {
  const burnOf = (channel: string) => ({ channel_id: Number(channel), alert_type: 'burn_rate_too_fast' })
  const outageOf = (channel_id: number) => ({ channel_id, alert_type: 'violation' })
  const gone = Object.keys(before.burns).filter((channel) => !(channel in after.burns))
  const changed = Object.entries(after.burns).filter(([channel, severity]) => before.burns[channel] !== severity)
  const removed = { slo_ids: [], remove_slo_ids: sloIds }
  const stored = { slo_ids: sloIds, enabled: true }
  return [
    ...gone.map((channel) => ({ ...burnOf(channel), ...removed })),
    ...changed.map(([channel, severity]) => ({ ...burnOf(channel), ...stored, severity })),
    ...[...before.outages].filter((id) => !after.outages.has(id)).map((id) => ({ ...outageOf(id), ...removed })),
    ...[...after.outages].filter((id) => !before.outages.has(id)).map((id) => ({ ...outageOf(id), ...stored })),
  ]
}

async function saveRules(sloIds: readonly number[], draft: Draft, { rules }: AlertingSettings): Promise<string[]> {
  const settings = ruleSettings(sloIds, rulesAfter(draft, rules), rulesOf(rules))
  if (settings.length === 0) return []
  try {
    await send('PUT', '/notifications/rules/settings', { body: { settings } })
    return []
  } catch (error) {
    return [`The notification rules were not changed: ${textOf(error)}`]
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error)
  return [error.message, error.details].filter(Boolean).join(': ')
}

/** Current SLO and author of the last change, if it was changed since it was read; otherwise null. */
export async function changedSince(slo: Slo): Promise<{ slo: Slo; by: string | null } | null> {
  const current = await send<Slo>('GET', `/slos/${slo.id}`)
  if (current.updated_at === slo.updated_at) return null
  const { changes } = await send<Changes>('GET', `/slos/${slo.id}/changes?page_size=1`)
  return { slo: current, by: changes[0]?.changed_by_name ?? null }
}
