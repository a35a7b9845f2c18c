import { useRoute } from 'preact-iso/router'
import { NotFound } from '../../ui/not-found.tsx'
import { AlertsList } from './alerts-list.tsx'
import { OneAlert } from './one-alert.tsx'

/** All alerts, or the alert in the address. */
export function AlertsPage() {
  const { id } = useRoute().params
  if (id === undefined || id === '') return <AlertsList />
  return /^[1-9]\d{0,14}$/.test(id) ? <OneAlert key={id} id={Number(id)} /> : <NotFound />
}
