import { useRoute } from 'preact-iso/router'
import { NotFound } from '../../ui/page.tsx'
import { IncidentsList } from './incidents-list.tsx'
import { IncidentPage } from './one-incident.tsx'

/** All incidents, or the incident in the address. */
export function IncidentsPage() {
  const { id } = useRoute().params
  if (id === undefined || id === '') return <IncidentsList />
  return /^[1-9]\d{0,14}$/.test(id) ? <IncidentPage key={id} id={Number(id)} /> : <NotFound />
}
