import { signal } from '@preact/signals'
import { link } from '../base.ts'

/** Whether the server has another build of the page than the one that runs. */
export const isOutdated = signal(false)

/** Compares the script of this page with the one that the server's document names. */
export async function lookForUpgrade(): Promise<void> {
  const own = document.querySelector('script[type="module"]')?.getAttribute('src')
  const response = await fetch(link('/'), { cache: 'no-store' }).catch(() => undefined)
  if (!own || !response?.ok) return
  isOutdated.value = !(await response.text()).includes(own)
}
