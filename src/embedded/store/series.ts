import type { Labels } from '../../promql/labels.ts'
import type { Blocks, Chain } from './encoding/block.ts'

/**
 * Samples of one series that are in no chunk yet. `isOrdered`: sorted by time, one per time. `firstLog`: log row in which
 * it begins. `series`: undefined once the head is dropped.
 */
export type Head = Chain & {
  blocks: Blocks
  series: StoredSeries | undefined
  length: number
  isOrdered: boolean
  firstLog: number
}

/** Visibility barrier: samples from `fromMs` on are hidden; Infinity: none. */
type VisibilityBarrier = { fromMs: number }

/** Series of an organization in memory, identified by `key`, its labels as JSON. `head`: samples that are in no chunk yet. */
export type StoredSeries = {
  id: number
  organizationId: number
  key: string
  labels: Labels
  head: Head | undefined
  barrier: VisibilityBarrier | undefined
  isRemoved: boolean
}
