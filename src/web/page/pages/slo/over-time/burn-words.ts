import { formatWindow } from '../../../format.ts'

/** Title of a tier, with its windows. */
export function tierTitle(severity: string, long: string, short: string): string {
  return `${severity}, ${formatWindow(long)} and ${formatWindow(short)}`
}

/** Column of the burn rates of a window. */
export function burnColumn(window: string): string {
  return `Burn rate, ${formatWindow(window)}`
}

export function burnRatesLabel(tier: string): string {
  return `Burn rates of the tier ${tier}`
}
