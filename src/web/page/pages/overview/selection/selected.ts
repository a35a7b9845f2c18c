import { signal } from '@preact/signals'

/** The numbers of the SLOs that are selected; null while nothing is to be selected. */
export const selected = signal<ReadonlySet<number> | null>(null)

/** Selects an SLO, or no longer. */
export function toggleSelected(id: number): void {
  const before = selected.peek() ?? new Set<number>()
  selected.value = new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])
}

/** Begins to select, or forgets what is selected. */
export function switchSelecting(): void {
  selected.value = selected.peek() === null ? new Set() : null
}
