import { signal } from '@preact/signals'
import { link } from '../../address/base.ts'

/** True if the server has another build of the page. */
export const isOutdated = signal(false)

/** Compares the script of this page with the one in the server's document. */
export async function lookForUpgrade(): Promise<void> {
  const own = document.querySelector('script[type="module"]')?.getAttribute('src')
  const response = await fetch(link('/'), { cache: 'no-store' }).catch(() => undefined)
  if (!own || !response?.ok) return
  isOutdated.value = !(await response.text()).includes(own)
}
