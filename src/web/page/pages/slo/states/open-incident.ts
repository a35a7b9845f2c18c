import type { IncidentList } from '../../../api/history.ts'

/** Path of the open incident of an SLO, with who was notified. */
export const openIncidentPath = (sloId: number) => `/incidents?slo_id=${sloId}&include=not_notified`

/** Open incident of an SLO, with its notifications. */
export type OpenIncident = IncidentList['incidents'][number]
