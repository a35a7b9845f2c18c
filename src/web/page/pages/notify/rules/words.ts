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
