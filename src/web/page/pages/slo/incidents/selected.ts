import type { Incident } from '../../../api/types.ts'

/** Incident of a key in the address: the one that contains that second, since the begin of an incident may move. */
export function incidentOf(incidents: readonly Incident[], key: string): Incident | undefined {
  const ms = /^\d{1,12}$/.test(key) ? 1000 * Number(key) : Number.NaN
  return incidents.find(({ began_at, ended_at }) => Date.parse(began_at) <= ms && ms < Date.parse(ended_at))
}
