import { effect } from '@preact/signals'
import type { IncidentList } from '../../api/history.ts'
import { resource, use } from '../../api/resource.ts'
import { failingSlos } from '../../ui/title.ts'
import { type Attention, attentionOf, iconOf } from './attention.ts'
import { openIncidentsPath } from './open-incidents.tsx'

/**
 * Shows in title and icon of the document how many SLOs are down or burn fast, and the worst state, by the open incidents that
 * `OpenIncidents` reads. Returns a function that ends this.
 */
export function showAttention(): () => void {
  const open = resource<IncidentList>(openIncidentsPath)
  const release = use(open)
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const usual = icon?.href ?? ''
  const show = ({ failing, worst }: Attention) => {
    failingSlos.value = failing
    if (icon) icon.href = worst === 'ok' ? usual : iconOf(worst)
  }
  const end = effect(() => show(attentionOf(open.value.value?.open_by_state)))
  return () => {
    end()
    release()
    show({ failing: 0, worst: 'ok' })
  }
}
