/** Name of a scrape target, probe or source. */
export const nameField = { name: 'name', label: 'Name', required: true, maxLength: 200 } as const

/** Checkbox that pauses a scrape target or probe. */
export const pausedField = { name: 'isPaused', kind: 'check', label: 'Paused' } as const
