import { formatNumber } from '../format.ts'

/** Page of a list among all of them. */
export function pageWords(page: number, pages: number): string {
  return `Page ${formatNumber(page)} of ${formatNumber(pages)}`
}

/** Label of the button that copies something, such as `the key`. */
export function copyLabel(of: string, isCopied: boolean): string {
  return isCopied ? `${of} copied` : `Copy ${of}`
}

/** Label of the links to the other pages of a list. */
export function pagesLabel(what: string): string {
  return `Pages of ${what}`
}

/** Number of options that are listed, of all that match. */
export function narrowWords(listed: number, all: number): string {
  return `${formatNumber(listed)} of ${formatNumber(all)}: type to narrow them down`
}
