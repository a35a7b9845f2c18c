import { signal } from '@preact/signals'

/** What lies over the page: everything by its name, or the list of keys. */
export const overlay = signal<'palette' | 'keys' | null>(null)

export function closeOverlay(): void {
  overlay.value = null
}
