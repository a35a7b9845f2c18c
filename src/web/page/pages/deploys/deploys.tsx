import { useRoute } from 'preact-iso/router'
import { NotFound } from '../../ui/page.tsx'
import { DeployList } from './deploy-list.tsx'
import { DeployPage } from './one-deploy.tsx'

/** Deploys, changes and notes, or the one in the address. */
export function DeploysPage() {
  const { id } = useRoute().params
  if (id === undefined || id === '') return <DeployList />
  return /^[1-9]\d{0,14}$/.test(id) ? <DeployPage key={id} id={Number(id)} /> : <NotFound />
}
