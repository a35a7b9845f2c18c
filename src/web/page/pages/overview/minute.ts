import { computed } from '@preact/signals'
import { nowMs } from '../../ui/time.tsx'

/** Current time in milliseconds, rounded down to the minute, so that order and ages in the list do not change every second. */
export const minuteMs = computed(() => Math.floor(nowMs.value / 60_000) * 60_000)
