/** How the last run of a target or probe went; a run that was given up says nothing. */
export type Health = {
  status: 'up' | 'down' | 'unknown'
  lastAtMs: number | null
  lastDurationMs: number | null
  lastError: string | null
  /** How many samples it gave. */
  samples: number
}

/** Before the first run. */
export const unknownHealth: Health = {
  status: 'unknown',
  lastAtMs: null,
  lastDurationMs: null,
  lastError: null,
  samples: 0,
}
