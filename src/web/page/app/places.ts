import type { IconName } from '../ui/icon-names.ts'

export type Place = { path: string; label: string; icon: IconName }

/** Page that the menu of the account opens. */
export const settings: Place = { path: '/settings', label: 'Settings', icon: 'settings' }

/** Entries of the side bar. */
export const places: Place[] = [
  { path: '/', label: 'Overview', icon: 'layout-dashboard' },
  { path: '/incidents', label: 'Incidents', icon: 'siren' },
  { path: '/explore', label: 'Explore', icon: 'chart-line' },
  { path: '/collect/sources', label: 'Collect', icon: 'database' },
  { path: '/notify/channels', label: 'Notify', icon: 'bell' },
]
