/** Section of the page, with its addresses and the menu that lists it. */
export type Section = {
  /** Pattern of its addresses. */
  path: string
  /** Labels of its views, by the last segment of their addresses. */
  views?: Record<string, string>
  /** `edit`: it is offered to those who have this right; `open`: it needs no session. */
  access?: 'edit' | 'open'
  menu?: 'side' | 'account' | 'action'
  label?: string
  icon?: string
  /** Keys that open it from everywhere. */
  keys?: string
  /** First segment of other addresses at which the side bar marks it. */
  also?: string
}

/** All sections, in the order of menus. The first whose pattern matches an address is shown. The server reads it too: no DOM. */
export const routes = {
  overview: { path: '/', menu: 'side', label: 'Overview', icon: 'layout-dashboard', keys: 'g o', also: 'slos' },
  incidents: { path: '/incidents/:id?', menu: 'side', label: 'Incidents', icon: 'siren', keys: 'g i', also: 'alerts' },
  deploys: { path: '/deploys/:id?', menu: 'side', label: 'Deploys', icon: 'flag' },
  explore: { path: '/explore', menu: 'side', label: 'Explore', icon: 'chart-line' },
  collect: {
    path: '/collect/:view',
    views: {
      sources: 'Sources',
      probes: 'Checks',
      heartbeats: 'Heartbeats',
      targets: 'Metrics endpoints',
      senders: 'Senders',
      storage: 'Storage',
    },
    menu: 'side',
    label: 'Collect',
    icon: 'database',
  },
  notify: {
    path: '/notify/:view',
    views: { channels: 'Channels', rules: 'Rules', templates: 'Templates', history: 'History', silences: 'Silences' },
    menu: 'side',
    label: 'Notify',
    icon: 'bell',
  },
  corrections: { path: '/corrections', menu: 'account', label: 'Corrections', icon: 'calendar-off' },
  reports: { path: '/reports/:id?', menu: 'account', label: 'Reports', icon: 'file-text' },
  settings: {
    path: '/settings/:view?',
    views: {
      '': 'Account',
      security: 'Security',
      people: 'People',
      teams: 'Teams',
      applications: 'Applications',
      'sign-in': 'Sign-in',
      audit: 'Audit log',
      cache: 'Cache',
      quotas: 'Quotas',
      system: 'System',
    },
    menu: 'account',
    label: 'Settings',
    icon: 'settings',
  },
  newSlo: { path: '/slos/new', access: 'edit', menu: 'action', label: 'New SLO', icon: 'plus' },
  editSlo: { path: '/slos/:id/edit', access: 'edit' },
  slo: {
    path: '/slos/:id/:view?',
    views: { '': 'Budget', alerting: 'Alerts', definition: 'Definition', activity: 'Activity' },
  },
  alerts: { path: '/alerts/:id?' },
  login: { path: '/login', access: 'open' },
  register: { path: '/register', access: 'open' },
  forgotten: { path: '/forgotten-password', access: 'open' },
  reset: { path: '/reset-password', access: 'open' },
  confirm: { path: '/confirm-email', access: 'open' },
  demoLogin: { path: '/demo-login', access: 'open' },
} as const satisfies Record<string, Section>

/** Sections that a menu lists. */
export const listed = Object.values(routes).filter((section) => 'menu' in section)

/** Paths of a section, one for each view; parameters stay. The first is the one that its entry in a menu leads to. */
export function pathsOf({ path, views }: Section): string[] {
  const endings = views ? Object.keys(views) : path.endsWith('?') ? ['', ':id'] : null
  return endings?.map((end) => path.replace(/\/:\w+\??$/, end && `/${end}`)) ?? [path]
}

/** Path that the entry of a section in a menu leads to. */
export function entryOf(section: Section): string {
  return pathsOf(section)[0] ?? ''
}

/** True if the side bar marks a section at a path of the page, also at one that no pattern matches. */
export function isAt({ path, also }: Section, here: string): boolean {
  const first = here.split('/')[1]
  return first === path.split('/')[1] || first === also
}
