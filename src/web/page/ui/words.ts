import { formatNumber } from '../format.ts'

/** Page of a list among all of them. */
export function pageWords(page: number, pages: number): string {
  return `Page ${formatNumber(page)} of ${formatNumber(pages)}`
}
