import { formatNumber } from '../../../format.ts'

/** Deliveries that arrived, of those that ended. */
export function arrivedWords(arrived: number, ended: number): string {
  return `${formatNumber(arrived)} of ${formatNumber(ended)}`
}
