import { useRoute } from 'preact-iso/router'
import type { ComponentType } from 'preact'
import { routes } from '../../address/routes.ts'
import { whyNot } from '../../api/rights.ts'
import { chunk } from '../../ui/chunk.tsx'
import { NotFound, Page, tabsOf } from '../../ui/page.tsx'

const views = routes.settings.views
type View = keyof typeof views

const lazily = (load: () => Promise<ComponentType>) => chunk(load, 240)

/** Sections, each with its own code. `administer`: it is offered to administrators alone. */
const sections: Record<View, { part: ComponentType; right?: 'administer' }> = {
  '': { part: lazily(async () => (await import('./account/account.tsx')).Account) },
  security: { part: lazily(async () => (await import('./security/security.tsx')).Security) },
  people: { part: lazily(async () => (await import('./people/people.tsx')).People) },
  teams: { part: lazily(async () => (await import('./teams/teams.tsx')).Teams) },
  applications: {
    part: lazily(async () => (await import('./applications/applications.tsx')).Applications),
    right: 'administer',
  },
  'sign-in': { part: lazily(async () => (await import('./sign-in/sign-in.tsx')).SignIn), right: 'administer' },
  audit: { part: lazily(async () => (await import('./audit/audit.tsx')).Audit), right: 'administer' },
  cache: { part: lazily(async () => (await import('./cache/cache.tsx')).Cache) },
  quotas: { part: lazily(async () => (await import('./quotas/quotas.tsx')).Quotas), right: 'administer' },
  system: { part: lazily(async () => (await import('./system/system.tsx')).System), right: 'administer' },
}

/** Settings of the person, the organization and the instance. A section that the user may not read is not offered. */
export function SettingsPage() {
  const view = useRoute().params.view ?? ''
  if (!isView(view) || !isOffered(view)) return <NotFound />
  const { part: Part } = sections[view]
  const offered = Object.entries(views).filter(([one]) => isView(one) && isOffered(one))
  return (
    <Page
      title={view === '' ? 'Settings' : `${views[view]} · Settings`}
      heading="Settings"
      class="settings"
      views={{ label: 'Sections of Settings', tabs: tabsOf(Object.fromEntries(offered), '/settings') }}
    >
      <Part key={view} />
    </Page>
  )
}

function isView(view: string): view is View {
  return Object.hasOwn(views, view)
}

function isOffered(view: View): boolean {
  const { right } = sections[view]
  return right === undefined || whyNot(right) === undefined
}
