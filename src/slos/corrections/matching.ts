import type { CorrectionRow, SloRow } from '../../db/tables/tables.ts'
import { parseLabels } from '../labels.ts'
import type { ExclusionRule } from './rules.ts'
import { parseServiceHours } from './read-service-hours.ts'

/** Fields of an SLO that decide which corrections cover it. */
export type MatchedSlo = Pick<SloRow, 'id' | 'team_id' | 'labels' | 'service_hours' | 'composite'>

type Covering = Pick<CorrectionRow, 'slo_ids' | 'team_id' | 'labels'>

/** Times of a correction. */
type Timed = Pick<CorrectionRow, 'id' | 'starts_at' | 'ends_at' | 'rrule' | 'duration_seconds' | 'time_zone'>

/**
 * Creates the function that says whether a correction covers an SLO: by id, by team, or by all labels of the correction. No correction
 * covers a composite: times excluded from its members are thereby excluded from the composite.
 */
export function createMatcher(covering: Covering): (slo: MatchedSlo) => boolean {
  const isSelected = createSelector(covering)
  return (slo) => slo.composite === null && isSelected(slo)
}

function createSelector({ slo_ids, team_id, labels }: Covering): (slo: MatchedSlo) => boolean {
  if (slo_ids !== null) {
    const ids = new Set<number>(JSON.parse(slo_ids))
    return ({ id }) => ids.has(id)
  }
  if (team_id !== null) return (slo) => slo.team_id === team_id
  const matchers = Object.entries(parseLabels({ labels: labels ?? '{}' }))
  if (matchers.length === 0) return () => false
  return (slo) => {
    const labelsOfSlo = parseLabels(slo)
    return matchers.every(([key, value]) => labelsOfSlo[key] === value)
  }
}

/** Rule of a correction. */
export function ruleOf(correction: Timed): ExclusionRule {
  const { id, starts_at, ends_at, rrule, duration_seconds, time_zone } = correction
  if (ends_at !== null) return { correction: id, from: starts_at, to: ends_at }
  const recurring = {
    fromSeconds: starts_at,
    rrule: rrule ?? '',
    durationSeconds: duration_seconds ?? 0,
    zone: time_zone ?? 'UTC',
  }
  return { correction: id, recurring }
}

/** Rules of an SLO as stored, a JSON array: those of the corrections that cover it, and its service hours; null: none. */
export function rulesText(slo: Pick<MatchedSlo, 'service_hours'>, covering: readonly Timed[]): string | null {
  const service = parseServiceHours(slo)
  const rules = [...covering.map(ruleOf), ...(service ? [{ service }] : [])]
  return rules.length === 0 ? null : JSON.stringify(rules)
}
