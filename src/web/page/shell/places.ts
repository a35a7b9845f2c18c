import type { IconName } from '../ui/icon-names.ts'

export type Place = { path: string; label: string; icon: IconName }

/** The places of the side bar. What they lead to is added with each part of the page. */
export const places: Place[] = [{ path: '/', label: 'Overview', icon: 'layout-dashboard' }]
