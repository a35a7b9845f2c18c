import { useEffect } from 'preact/hooks'
import type { Checks } from '../api/types.ts'
import type { Resource } from '../api/resource.ts'
import { now } from '../clock.ts'

const afterRunMs = 1500
const minMs = 2000

/** Reads the checks of an SLO again after each. */
export function useCheckReads(of: Resource<Checks>): void {
  const nextMs = Date.parse(of.value.value?.next_at ?? '')
  useEffect(() => {
    if (!Number.isNaN(nextMs)) of.readSoon(Math.max(minMs, nextMs + afterRunMs - now()))
  }, [nextMs, of.readAtMs.value])
}
