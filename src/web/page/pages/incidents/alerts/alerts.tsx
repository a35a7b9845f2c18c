import { useEffect } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { link } from '../../../address/base.ts'
import { NotFound } from '../../../ui/page.tsx'
import { queryFromAlerts } from '../view.ts'
import { OneAlert } from './one-alert.tsx'

/** The alert in the address. Without one the address is that of the former list, which leads to the incidents with its filters. */
export function AlertsPage() {
  const { id } = useRoute().params
  const { url, route } = useLocation()
  const isList = id === undefined || id === ''
  useEffect(() => {
    if (isList) route(`${link('/incidents')}${queryFromAlerts(url.split('?')[1] ?? '')}`, true)
  }, [isList])
  if (isList) return null
  return /^[1-9]\d{0,14}$/.test(id) ? <OneAlert key={id} id={Number(id)} /> : <NotFound />
}
