import { computed } from '@preact/signals'
import { nowMs } from '../../ui/time.tsx'

/** The present in milliseconds, to the minute: order and ages in the list need not move each second. */
export const minuteMs = computed(() => Math.floor(nowMs.value / 60_000) * 60_000)
