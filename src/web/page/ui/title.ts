import { effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { words } from '../words.ts'

const shown = signal<{ title: string; state: string } | undefined>(undefined)

/** Number of SLOs that need attention now, which stands before the title. */
export const failingSlos = signal(0)

effect(() => {
  if (shown.value) document.title = documentTitle(shown.value, failingSlos.value)
})

/**
 * Title of the document: `(2) Overview · nines`; of an SLO, its state instead of the number of those that fail:
 * `Down 8 min · My site · nines`.
 */
export function documentTitle({ title, state }: { title: string; state: string }, failing: number): string {
  const prefix = state !== '' ? `${state} · ` : failing > 0 ? `(${failing}) ` : ''
  return `${prefix}${title === '' ? '' : `${title} · `}${words.product}`
}

/** Names the document after the page. undefined: not known yet. `state`: that of the SLO which the page is about. */
export function useTitle(title: string | undefined, state = ''): void {
  useEffect(() => {
    if (title !== undefined) shown.value = { title, state }
  }, [title, state])
}
