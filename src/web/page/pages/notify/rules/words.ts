import { formatNumber, plural } from '../../../format.ts'

/** Messages after a change of a rule. */
const changes = {
  on: (rule: string) => `${rule}: switched on.`,
  off: (rule: string) => `${rule}: switched off.`,
  deleted: (rule: string) => `${rule}: deleted.`,
}
export type RuleChange = keyof typeof changes

/** Message after a change of a rule, by its alerts and its channel. */
export function changedText(alerts: string, channel: string, change: RuleChange): string {
  return changes[change](`${alerts}, ${channel}`)
}

/** Name of the menu of a rule. */
export function moreWords(alerts: string, channel: string): string {
  return `More of ${alerts}, ${channel}`
}

/** Label of the button that edits a rule. */
export function editRuleLabel(alerts: string, channel: string): string {
  return `Edit ${alerts}, ${channel}`
}

/** Title of the form of a rule. */
export function ruleTitle(alerts: string, channel: string): string {
  return `${alerts}, ${channel}`
}

/** Title of the rules of a channel; undefined: it is deleted. */
export function rulesOfTitle(channel: string | undefined): string {
  return channel === undefined ? 'Rules of a deleted channel' : `Rules of ${channel}`
}

export function rulesSavedText(channel: string): string {
  return `${channel}: rules saved.`
}

/** Label of the button that adds the SLOs that notify nobody. */
export function uncoveredLabel(count: number): string {
  return `Those that notify nobody (${formatNumber(count)})`
}

type CoveredWords = {
  /** Number of SLOs that notify by the rule now, and of all. */
  count: number
  all: number
  /** Its selector in words; null: its SLOs are chosen one by one. */
  selected: string | null
  /** Its selector selects every SLO. */
  isEvery: boolean
}

/** SLOs that a rule covers: `All 3 SLOs`, `env=prod: 2 SLOs now`. */
export function coveredWords({ count, all, selected, isEvery }: CoveredWords): string {
  if (selected === null) {
    return count === all && count > 1 ? plural(count, 'All # SLO', 'All # SLOs') : plural(count, '# SLO', '# SLOs')
  }
  if (isEvery && count === all) return selected
  return `${selected}: ${count === 0 ? 'none now' : plural(count, '# SLO now', '# SLOs now')}`
}

/** Number of SLOs that are chosen, of all. */
export function chosenWords(chosen: number, all: number): string {
  return `${formatNumber(chosen)} of ${formatNumber(all)}`
}
