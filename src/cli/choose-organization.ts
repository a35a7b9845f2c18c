import type { OrganizationRow } from '../db/tables/tables.ts'

type Organization = Pick<OrganizationRow, 'id' | 'name'>

const maxShown = 20

/** The one with this id, else this name; the only one where none is wanted. Throws, naming what there is. */
export function chooseOrganization<T extends Organization>(all: T[], wanted: string | undefined): T {
  if (all.length === 0) throw new Error('there is no organization yet; start nines and register first')
  const [one, ...others] = wanted === undefined ? all : findAll(all, wanted)
  if (!one) throw new Error(`there is no organization "${wanted}", but ${listed(all)}`)
  if (others.length === 0) return one
  const how = wanted === undefined ? '--organization ID_OR_NAME' : '--organization ID'
  throw new Error(`say with ${how} which one of ${listed([one, ...others])}`)
}

function findAll<T extends Organization>(all: T[], wanted: string): T[] {
  const byId = all.filter(({ id }) => String(id) === wanted)
  return byId.length > 0 ? byId : all.filter(({ name }) => name === wanted)
}

function listed(some: Organization[]): string {
  const shown = some.slice(0, maxShown).map(({ id, name }) => `${id} (${name})`)
  return [...shown, ...(some.length > maxShown ? ['…'] : [])].join(', ')
}
