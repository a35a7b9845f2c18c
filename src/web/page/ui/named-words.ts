import { formatNumber } from '../format.ts'

export function editLabel(name: string): string {
  return `Edit ${name}`
}

export function deleteLabel(name: string): string {
  return `Delete ${name}`
}

/** Label of a menu of what else can be done. */
export function moreLabel(name: string): string {
  return `More of ${name}`
}

export function deletedText(name: string): string {
  return `${name}: deleted.`
}

export function savedText(name: string): string {
  return `${name}: saved.`
}

/** Error message; its reason follows. */
export function notDeletedText(name: string): string {
  return `${name}: not deleted.`
}

/** Error message; its reason follows. */
export function notChangedText(name: string): string {
  return `${name}: not changed.`
}

/** Error message; its reason follows. */
export function notRestoredText(name: string): string {
  return `${name}: not restored.`
}

/** Name of an SLO whose own name is not known. */
export function sloLabel(id: number | string): string {
  return `SLO ${id}`
}

/** Team in a list that has other things too. `team`: its name, or its ID where that is not known. */
export function teamLabel(team: number | string): string {
  return `Team ${team}`
}

/** Channel in a list of choices. */
export function channelLabel({ name, enabled }: { name: string; enabled: boolean }): string {
  return enabled ? name : `${name} (switched off)`
}

/** Label of what shows the rest of a list. */
export function showAllLabel(count: number): string {
  return `Show all ${formatNumber(count)}`
}

/** Label of the button that takes a label, such as `team`, off a list. */
export function removeLabelLabel(label: string): string {
  return `Remove the label ${label}`
}
