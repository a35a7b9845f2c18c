/** The icons of the sprite, by their names in Lucide. */
export const iconNames = [
  'activity', 'arrow-down', 'arrow-up', 'arrow-right', 'bell', 'bell-off', 'calendar', 'chart-line', 'check', 'chevron-down',
  'chevron-left', 'chevron-right', 'circle-question-mark', 'clipboard', 'clock', 'copy', 'database', 'download', 'ellipsis', 'external-link',
  'eye', 'file-text', 'filter', 'flag', 'grid-3x3', 'history', 'house', 'image', 'info', 'key-round', 'layout-dashboard', 'list',
  'log-out', 'mail', 'minus', 'monitor', 'moon', 'pencil', 'play', 'plus', 'radar', 'refresh-cw', 'rows-3', 'rows-4', 'search',
  'send', 'settings', 'sun', 'table', 'target', 'trash-2', 'trending-down', 'trending-up', 'undo-2', 'user', 'users', 'wifi-off', 'x',
] as const

export type IconName = (typeof iconNames)[number]
