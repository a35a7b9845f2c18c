import { useRoute } from 'preact-iso/router'
import type { ComponentType } from 'preact'
import { routes } from '../../address/routes.ts'
import { whyNot } from '../../api/rights.ts'
import { me } from '../../api/session.ts'
import { NotFound, Page, tabsOf } from '../../ui/page.tsx'
import { Account } from './account/account.tsx'
import { Applications } from './applications/applications.tsx'
import { Audit } from './audit/audit.tsx'
import { Cache } from './cache/cache.tsx'
import { ForcedSetUp } from './forced-set-up.tsx'
import { People } from './people/people.tsx'
import { Quotas } from './quotas/quotas.tsx'
import { AllowedApplications } from './security/allowed-applications.tsx'
import { Password } from './security/password.tsx'
import { SecondFactor } from './security/second-factor.tsx'
import { Sessions } from './security/sessions.tsx'
import { ApiTokens } from './security/tokens.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { System } from './system/system.tsx'
import { Teams } from './teams/teams.tsx'
import { sectionTitle } from './words.ts'

const views = routes.settings.views
type View = keyof typeof views

const Security = () => (
  <>
    <Password />
    <SecondFactor />
    <Sessions />
    <AllowedApplications />
    <ApiTokens />
  </>
)

/** Sections. `right: 'administer'`: it is offered to administrators only. */
const sections: Record<View, { part: ComponentType; right?: 'administer' }> = {
  '': { part: Account },
  security: { part: Security },
  people: { part: People },
  teams: { part: Teams },
  applications: {
    part: Applications,
    right: 'administer',
  },
  'sign-in': { part: SignIn, right: 'administer' },
  audit: { part: Audit, right: 'administer' },
  cache: { part: Cache },
  quotas: { part: Quotas, right: 'administer' },
  system: { part: System, right: 'administer' },
}

/** Settings; or the set-up of a second factor alone, while the organization requires one and the user has none. */
export function SettingsPage() {
  return me.value?.mfa_setup_required ? <ForcedSetUp /> : <Sections />
}

/** Settings of the person, the organization and the instance. A section that the user may not read is not offered. */
function Sections() {
  const view = useRoute().params.view ?? ''
  if (!isView(view) || !isOffered(view)) return <NotFound />
  const { part: Part } = sections[view]
  const offered = Object.entries(views).filter(([one]) => isView(one) && isOffered(one))
  return (
    <Page
      title={view === '' ? 'Settings' : sectionTitle(views[view])}
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
