import { effect } from '@preact/signals'
import type { IncidentList } from '../../api/history.ts'
import { resource, use } from '../../api/resource.ts'
import { failingSlos } from '../../ui/title.ts'

/** Path of the answer that counts the open incidents. */
export const openIncidentsPath = '/incidents?page_size=1'

type Attention = { failing: number; worst: 'critical' | 'warning' | 'ok' }

/**
 * Number of SLOs that are down or burn fast, and the worst of the states of open incidents. `open` undefined, which is not known yet,
 * counts as none.
 */
export function attentionOf(open: IncidentList['open_by_state'] | undefined): Attention {
  const failing = open ? open.down + open.burning_fast : 0
  return { failing, worst: failing > 0 ? 'critical' : open?.burning ? 'warning' : 'ok' }
}

/** Fills of the icons; their white rim separates them from a dark tab. */
export const iconColors = { critical: '#dc3048', warning: '#ad6a00' } as const
const outlines = { critical: 'M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2Z', warning: 'M8 1.2 15.4 14.6H.6Z' } as const
const marks = { critical: 'M8 4v4.6m0 2.8v.1', warning: 'M8 6.2v3.6m0 2.2v.1' } as const

/** Address of the icon that says how the worst SLO is. */
export function iconOf(worst: 'critical' | 'warning'): string {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 18 18" stroke="#fff" stroke-linecap="round" stroke-linejoin="round">' +
    `<path d="${outlines[worst]}" fill="${iconColors[worst]}" stroke-width="1.4" paint-order="stroke"/>` +
    `<path d="${marks[worst]}" fill="none" stroke-width="2"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

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
