import { useEffect } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { link } from '../../../address/base.ts'
import { NotFound } from '../../../ui/page.tsx'
import { queryFromAlerts } from '../view.ts'
import { OneAlert } from './one-alert.tsx'

/** Page of the alert in the address. Without an id it is the address of a former list, and leads to the incidents with the same filters. */
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
