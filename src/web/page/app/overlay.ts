import { signal } from '@preact/signals'

/** Open overlay: the command palette, or the list of shortcuts. */
export const overlay = signal<'palette' | 'keys' | null>(null)

export function closeOverlay(): void {
  overlay.value = null
}
