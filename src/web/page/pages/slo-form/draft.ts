import { isCalendarWindow } from '../../../../slos/arithmetic/windows.ts'
import type { TierRule } from '../../api/history.ts'
import type { Picks, Slo, SloDraft, Suggestion } from '../../api/types.ts'
import { isSloWindow } from '../../../../slos/arithmetic/window-names.ts'
import type { FormAddress, Kind } from '../../address/new-slo.ts'
import { type Definition, emptyDefinition, emptyPicks, metricTypeOf, type BuilderInputs } from './picks/picks.ts'
import { type Picked, pickedOf } from './picks/read.ts'
import { definitionOf, numberOf } from './picks/write.ts'
import { type PolicyDraft, policyDraftOf, policyOf } from '../../slo/policy/policy-draft.ts'
import { withScheme } from '../../ui/form/with-scheme.ts'

/** Id of an organization's first team, the default team of SLOs. */
export const defaultTeamId = 1

/** Severity of the burn-rate alerts that a channel gets; null: all. */
export type Notified = 'page' | 'ticket' | null

/** State of the form, as the texts of its fields. */
export type Draft = {
  kind: Kind
  /** Kind that was picked before the queries were edited by hand. */
  before: Kind | null
  /** Choices in the fields of each kind, of which the queries are made. */
  picks: BuilderInputs
  /** Picks that were read from queries, and those queries, which are sent as they are while the picks are unchanged. */
  read: { from: Picked; definition: Definition } | null
  sourceId: number | null
  target: string
  window: string
  /** IANA name for a calendar window; empty: that of the organization. */
  timeZone: string
  /** Null: the type of the kind. */
  metricType: string | null
  windowMethod: string
  queryUnit: string
  /** Null: the proposed name. */
  name: string | null
  description: string
  owner: string
  runbookUrl: string
  /** Lines of the error budget policy, as typed. */
  policy: PolicyDraft
  /** Service hours, as typed; empty: it counts at all times. */
  hours: { days: number[]; from: string; to: string }[]
  hoursZone: string
  /** Dates with commas between them. */
  holidays: string
  isPaused: boolean
  teamId: number | null
  labels: [name: string, value: string][]
  /** Null: the standard tiers. */
  tiers: TierRule[] | null
  thresholds: number[] | null
  /** Label of which each value gets an SLO of its own; null: one SLO. */
  forEach: string | null
  /** By channel id. */
  notify: Record<string, Notified>
}

const emptyDraft: Draft = {
  kind: 'requests',
  before: null,
  picks: emptyPicks,
  read: null,
  sourceId: null,
  target: '99.9',
  window: '30d',
  timeZone: '',
  metricType: null,
  windowMethod: 'auto',
  queryUnit: 'auto',
  name: null,
  description: '',
  owner: '',
  runbookUrl: '',
  policy: [],
  hours: [],
  hoursZone: '',
  holidays: '',
  isPaused: false,
  teamId: null,
  labels: [],
  tiers: null,
  thresholds: null,
  forEach: null,
  notify: {},
}

/** Queries of an address; null if it has none. */
export function definitionOfAddress({ query, good, bad, total, threshold, op }: FormAddress): Definition | null {
  if ([query, good, bad].every((text) => text === undefined)) return null
  return {
    ...emptyDefinition,
    metric_query: query ?? null,
    good_query: query === undefined ? (good ?? null) : null,
    bad_query: query === undefined && good === undefined ? (bad ?? null) : null,
    total_query: query === undefined ? (total ?? null) : null,
    ...(query !== undefined && threshold !== undefined && { threshold, threshold_op: op ?? 'lte' }),
  }
}

/** Initial draft of a new SLO; `picks` of the queries of the address. */
export function draftOfAddress(address: FormAddress, picks: Picks | null): Draft {
  const { source, name, description, target, window, kind } = address
  const definition = definitionOfAddress(address)
  return {
    ...emptyDraft,
    ...(definition ? withDefinition(definition, picks) : { kind: kind ?? emptyDraft.kind }),
    sourceId: source ?? null,
    name: name ?? null,
    description: description ?? '',
    target: target === undefined ? emptyDraft.target : String(target),
    window: window !== undefined && isSloWindow(window) ? window : emptyDraft.window,
  }
}

/** Initial draft to edit an SLO. */
export function draftOfSlo(slo: Slo): Draft {
  return {
    ...emptyDraft,
    ...withDefinition(definitionOfSlo(slo), slo.picks),
    sourceId: slo.source_id,
    target: String(slo.target),
    window: slo.time_window,
    timeZone: slo.time_zone ?? '',
    metricType: slo.metric_type,
    windowMethod: slo.window_method,
    queryUnit: slo.query_unit,
    name: slo.name,
    description: slo.description,
    owner: slo.owner,
    runbookUrl: slo.runbook_url,
    policy: policyDraftOf(slo.budget_policy),
    hours: slo.service_hours?.hours ?? [],
    hoursZone: slo.service_hours?.time_zone ?? '',
    holidays: slo.service_hours?.holidays.join(', ') ?? '',
    isPaused: slo.paused,
    teamId: slo.team_id,
    labels: Object.entries(slo.labels),
  }
}

/** Queries of an SLO. `metric_query` of a response is never null: with two queries it combines them. */
export function definitionOfSlo(slo: Slo): Definition {
  const { good_query, bad_query, total_query, threshold, threshold_op } = slo
  const metric_query = total_query === null ? slo.metric_query : null
  return { metric_query, good_query, bad_query, total_query, threshold, threshold_op }
}

/** Kind and picks of queries; without picks they stay as written. */
export function withDefinition(
  definition: Definition,
  picks: Picks | null,
): Pick<Draft, 'kind' | 'before' | 'picks' | 'read'> {
  const found = pickedOf(picks, definition)
  return {
    kind: found.kind,
    before: null,
    picks: { ...emptyPicks, [found.kind]: found.picks },
    read: { from: found, definition },
  }
}

/** Changes of the draft for a suggestion of a source. */
export function suggestedChange({ slo, picks }: Suggestion): Partial<Draft> {
  const { metric_query = null, good_query = null, bad_query = null, total_query = null } = slo
  return {
    ...withDefinition({ ...emptyDefinition, metric_query, good_query, bad_query, total_query }, picks),
    sourceId: slo.source_id,
    metricType: slo.metric_type,
    target: String(slo.target),
    window: slo.time_window,
    name: slo.name,
  }
}

/** Current queries; null while they are incomplete. */
export function definitionOfDraft({ kind, picks, read }: Draft): Definition | null {
  const isAsRead = read?.from.kind === kind && JSON.stringify(read.from.picks) === JSON.stringify(picks[kind])
  return isAsRead ? read.definition : definitionOf(kind, picks)
}

/** Request body of a draft, without the fields of `aboutOf`; null while something is missing or invalid. */
export function bodyOf(draft: Draft): SloDraft | null {
  const definition = definitionOfDraft(draft)
  const target = numberOf(draft.target)
  if (definition === null || target === null || target <= 0 || target > 100 || !isSloWindow(draft.window)) return null
  return {
    ...definition,
    target,
    time_window: draft.window,
    time_zone: isCalendarWindow(draft.window) && draft.timeZone !== '' ? draft.timeZone : null,
    metric_type: draft.metricType ?? metricTypeOf(draft.kind),
    window_method: draft.windowMethod,
    query_unit: draft.queryUnit,
    source_id: draft.sourceId,
  } as SloDraft // its texts are choices of the form
}

/** Fields of a request that do not say how the SLO is measured. Labels without a name are left out. */
export function aboutOf(draft: Draft) {
  const labels = draft.labels.map(([name, value]) => [name.trim(), value.trim()] as const)
  return {
    name: (draft.name ?? proposedName(draft)).trim(),
    description: draft.description.trim(),
    owner: draft.owner.trim(),
    runbook_url: withScheme(draft.runbookUrl),
    budget_policy: policyOf(draft.policy),
    service_hours: serviceHoursOf(draft),
    paused: draft.isPaused,
    ...(draft.teamId !== null && { team_id: draft.teamId }),
    labels: Object.fromEntries(labels.filter(([name]) => name !== '')),
  }
}

/** Service hours of a draft as the server keeps them; null: it counts at all times. */
function serviceHoursOf({ hours, hoursZone, holidays }: Draft) {
  if (hours.length === 0) return null
  const ranges = hours.map(({ days, from, to }) => ({ days, from: from.trim(), to: to.trim() }))
  const dates = holidays.split(/[\s,;]+/).filter((date) => date !== '')
  return { time_zone: hoursZone.trim(), hours: ranges, holidays: [...new Set(dates)].toSorted() }
}

/** Labels whose value names what the SLO is about, the best one first. */
const namingLabels = ['service', 'service_name', 'app', 'handler', 'route', 'job', 'host', 'instance']

/** Name derived from the picks; empty if they suggest none. */
export function proposedName({ kind, picks }: Draft): string {
  switch (kind) {
    case 'requests':
      return nameFrom(picks.requests, 'answers')
    case 'latency':
      return nameFrom(picks.latency, 'is fast')
    case 'site': {
      if (picks.site.by === 'series') return nameFrom({ metric: '', filters: picks.site.filters }, 'answers')
      return proposedSiteName(withScheme(picks.site.url))
    }
    case 'jobs': {
      const { by, metric, failed, filters } = picks.jobs
      return by === 'age'
        ? nameFrom({ metric, filters }, 'runs in time')
        : nameFrom({ metric: failed, filters }, 'succeeds')
    }
    case 'promql':
      return ''
  }
}

function nameFrom({ metric, filters }: Pick<BuilderInputs['requests'], 'metric' | 'filters'>, does: string): string {
  const chosen = filters.filter(({ op }) => op === '=')
  const thing = namingLabels.flatMap((name) => chosen.find(({ label }) => label === name)?.value || [])[0]
  const words = (
    thing ?? metric.replace(/_(?:total|seconds|count|failed|failures|errors|timestamp|last_success)(?=_|$)/g, '')
  ).replace(/[_-]+/g, ' ')
  if (words === '') return ''
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${does}`
}

function proposedSiteName(url: string): string {
  return URL.canParse(url) ? `${new URL(url).host} answers` : ''
}
