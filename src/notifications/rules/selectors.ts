import type { Db } from '../../db/open.ts'
import type { Cause, RuleRow, SloRow } from '../../db/tables/tables.ts'
import { AppError, invalid } from '../../errors.ts'
import { labelProblems, readLabels } from '../../slos/labels.ts'
import { assertTeam } from '../../slos/teams/store.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'

/** SLOs that a rule selects, now and in future: all, those with all of these labels, or those of a team. */
export type Selector = { all: true } | { labels: Record<string, string> } | { team_id: number }

/** Parts of an SLO that decide which rules select it; `labels` as stored. */
export type SelectableSlo = Pick<SloRow, 'id' | 'organization_id' | 'team_id' | 'labels'>

/** Parts of a rule that decide which SLOs it selects and which of several rules overrides the others. */
type SelectorRule = Pick<RuleRow, 'id' | 'organization_id' | 'channel_id' | 'cause'> & { selector: string }

/** Causes of which default channels are notified; for `violation` only of outages, not of the status. */
export const defaultCauses = [
  'violation',
  'burn_rate_too_fast',
  'error_budget_exhausted',
  'recovery',
] as const satisfies Cause[]

const maxTeamId = 999_999_999_999_999

/** Reads the selector of a request, as stored; null if it has none. Throws `invalid`. */
export function readSelector(sent: unknown): string | null {
  if (sent === undefined || sent === null) return null
  const message = 'must be an object with exactly one of all, labels and team_id'
  if (typeof sent !== 'object' || Array.isArray(sent)) throw invalid('selector', message, { code: 'wrong_type' })
  const [field, ...others] = Object.entries(sent)
  if (!field || others.length > 0) throw invalid('selector', message)
  return JSON.stringify(readField(field, message))
}

function readField([name, value]: [string, unknown], message: string): Selector {
  if (name === 'all') {
    if (value !== true) throw invalid('selector.all', 'must be true')
    return { all: true }
  }
  if (name === 'team_id') {
    const isId = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxTeamId
    if (!isId) throw invalid('selector.team_id', 'must be the team id, a whole number from 1')
    return { team_id: value }
  }
  if (name !== 'labels') throw invalid('selector', message)
  const problems = labelProblems(value ?? null).map((one) => ({ ...one, field: `selector.${one.field}` }))
  if (problems.length > 0) throw new AppError('invalid', 'Invalid request', { problems })
  const labels = Object.entries(readLabels(value)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (labels.length === 0) throw invalid('selector.labels', 'must have at least one entry', { code: 'too_few' })
  return { labels: Object.fromEntries(labels) } // sorted, so that equal selectors are stored as equal texts
}

export function parseSelector(selector: string): Selector {
  return JSON.parse(selector)
}

/** Throws `invalid` if the selector names a team that the organization does not have. */
export async function assertSelectable(db: Db, organizationId: number, selector: string): Promise<void> {
  const parsed = parseSelector(selector)
  if ('team_id' in parsed) await assertTeam(db, organizationId, parsed.team_id, 'selector.team_id')
}

/** Routes that an SLO has beside its own rules: rules whose selectors match it, and causes of default channels that no rule overrides. */
type Inherited<Rule, Channel> = { selected: readonly Rule[]; defaults: readonly { channel: Channel; cause: Cause }[] }

type Route = { channel_id: number; cause: Cause }
type DefaultChannel = { id: number; organization_id: number }

/**
 * Creates the function that finds the rules that apply to an SLO beside its own (`own`). For each channel and cause, a rule by
 * `slo_id` overrides one with a selector, which overrides a default channel. A disabled rule overrides, too: it excludes the SLO.
 * Among selectors, labels override a team, which overrides `all`; then more labels override fewer, then older rules newer ones.
 * Each selector is parsed once, and SLOs with the same selections share the result.
 */
export function createInheritance<Rule extends SelectorRule, Channel extends DefaultChannel>(
  rules: readonly Rule[],
  channels: readonly Channel[],
): (slo: SelectableSlo, own: readonly Route[]) => Inherited<Rule, Channel> {
  const findSelections = createSelectorIndex(rules)
  const shared = new Map<string, Inherited<Rule, Channel>>()

  function decide(organizationId: number, selections: readonly Selection<Rule>[]): Inherited<Rule, Channel> {
    const selected = pickByPrecedence(selections)
    const overridden = new Set(selected.map(routeOf))
    const defaults = channels
      .filter(({ organization_id }) => organization_id === organizationId)
      .flatMap((channel) => defaultCauses.map((cause) => ({ channel, cause })))
      .filter(({ channel, cause }) => !overridden.has(routeOf({ channel_id: channel.id, cause })))
    return { selected, defaults }
  }

  return (slo, own) => {
    const selections = findSelections(slo)
    const key = `${slo.organization_id} ${selections.map(({ index }) => index).join(' ')}`
    const { selected, defaults } = shared.getOrInsertComputed(key, () => decide(slo.organization_id, selections))
    if (own.length === 0) return { selected, defaults }
    const overridden = new Set(own.map(routeOf))
    return {
      selected: selected.filter((rule) => !overridden.has(routeOf(rule))),
      defaults: defaults.filter(({ channel, cause }) => !overridden.has(routeOf({ channel_id: channel.id, cause }))),
    }
  }
}

/** Rules with the same selector, identified by `index`. The higher `rank`, the more specific it is. */
type Selection<Rule> = { index: number; rank: number; rules: Rule[] }

/** Creates the function that finds the selections of an SLO. */
function createSelectorIndex<Rule extends SelectorRule>(
  rules: readonly Rule[],
): (slo: SelectableSlo) => Selection<Rule>[] {
  const byTeam = new Map<string, Selection<Rule>>()
  const byLabels: (Selection<Rule> & { organization_id: number; slo_id: null; labels: string })[] = []
  const bySelector = Map.groupBy(rules, ({ organization_id, selector }) => `${organization_id} ${selector}`)
  for (const [index, group] of [...bySelector.values()].entries()) {
    const [first] = group
    if (!first) continue
    const selector = parseSelector(first.selector)
    const { organization_id } = first
    if ('team_id' in selector) {
      byTeam.set(`${organization_id} ${selector.team_id}`, { index, rank: 1, rules: group })
    } else {
      const labels = 'labels' in selector ? selector.labels : {} // an empty set of labels selects every SLO
      const count = Object.keys(labels).length
      const rank = count === 0 ? 0 : 1 + count
      byLabels.push({ index, rank, rules: group, organization_id, slo_id: null, labels: JSON.stringify(labels) })
    }
  }
  const labelIndex = createSilenceIndex(byLabels) // a selector matches labels as a silence does
  return (slo) => {
    const ofTeam = byTeam.get(`${slo.organization_id} ${slo.team_id}`)
    return [...(ofTeam ? [ofTeam] : []), ...labelIndex.covering(slo)]
  }
}

/** Picks the rule that overrides the others, for each channel and cause. */
function pickByPrecedence<Rule extends SelectorRule>(selections: readonly Selection<Rule>[]): Rule[] {
  const best = new Map<string, { rule: Rule; rank: number }>()
  for (const { rank, rules } of selections) {
    for (const rule of rules) {
      const other = best.get(routeOf(rule))
      const overrides = !other || rank > other.rank || (rank === other.rank && rule.id < other.rule.id)
      if (overrides) best.set(routeOf(rule), { rule, rank })
    }
  }
  return [...best.values()].map(({ rule }) => rule)
}

/** True if a selector selects an SLO. */
export function isSelected(slo: SelectableSlo, rule: SelectorRule): boolean {
  return createSelectorIndex([rule])(slo).length > 0
}

function routeOf({ channel_id, cause }: Route): string {
  return `${channel_id} ${cause}`
}
