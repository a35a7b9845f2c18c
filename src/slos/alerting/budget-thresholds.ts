import type { SloRow } from '../../db/tables/tables.ts'

const standard = [50, 25, 10, 0]

/** The percents of the budget remaining at which an alert of an SLO begins, the highest first: its own, or the standard ones. */
export function thresholdsOf({ budget_thresholds: own }: Pick<SloRow, 'budget_thresholds'>): number[] {
  return own === null ? standard : JSON.parse(own)
}
