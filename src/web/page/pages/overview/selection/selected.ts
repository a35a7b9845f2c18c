import { signal } from '@preact/signals'

/** Ids of the selected SLOs; null while selection is off. */
export const selected = signal<ReadonlySet<number> | null>(null)

/** Selects or deselects an SLO. */
export function toggleSelected(id: number): void {
  const before = selected.peek() ?? new Set<number>()
  selected.value = new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])
}

/** Turns selection on, with nothing selected, or off. */
export function switchSelecting(): void {
  selected.value = selected.peek() === null ? new Set() : null
}
