import type { Labels } from '../../promql/labels.ts'
import type { Blocks, Chain } from './encoding/block.ts'

/**
 * Samples of one series that no chunk holds yet. `ordered`: by time, one a time. `firstLog`: the row of the log that has its
 * oldest. `series`: undefined once it is dropped.
 */
export type Head = Chain & {
  blocks: Blocks
  series: Series | undefined
  length: number
  ordered: boolean
  firstLog: number
}

/** Samples from `fromMs` on are not to be seen yet; Infinity once they are. */
type Hold = { fromMs: number }

/** `head`: what is in no chunk yet. */
export type Series = {
  id: number
  organizationId: number
  key: string
  labels: Labels
  head: Head | undefined
  hold: Hold | undefined
  removed: boolean
}
