import type { Matcher } from '../promql/matchers.ts'

export type Read = { matchers: readonly Matcher[]; fromMs: number; toMs: number }

/** The same text for reads that find the same. */
export function keyOfRead({ matchers, fromMs, toMs }: Read): string {
  return JSON.stringify([fromMs, toMs, matchers.map(({ name, operator, value }) => [name, operator, value])])
}
