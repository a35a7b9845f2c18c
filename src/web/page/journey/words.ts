import { formatNumber } from '../format.ts'

/** Label of the weight of a member. */
export function weightLabel(name: string): string {
  return `Weight of ${name}`
}

/** Number of members that are chosen, of those that a journey may have. */
export function membersWords(chosen: number): string {
  return `${formatNumber(chosen)} of 2 to 20`
}
