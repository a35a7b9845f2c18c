import { lazy, lazyStyled } from '../ui/lazy.ts'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import { connect, disconnect } from '../api/live.ts'
import { me } from '../api/session.ts'
import { base, link } from '../address/base.ts'
import { Login } from '../pages/account/login.tsx'
import { NotFound } from '../ui/not-found.tsx'
import { useFocusOnPage } from './focus.ts'
import { Waiting } from './shell/offline.tsx'
import { Shell } from './shell/shell.tsx'
import { Toasts } from '../ui/toasts.tsx'

const Overview = lazy(async () => (await import('../pages/overview/overview.tsx')).OverviewPage)
const Slo = lazy(async () => (await import('../pages/slo/slo.tsx')).SloPage)
const SloForm = lazyStyled(async () => (await import('../pages/slo-form/slo-form.tsx')).SloFormPage)
const Incidents = lazyStyled(async () => (await import('../pages/incidents/incidents.tsx')).IncidentsPage)
const Alerts = lazyStyled(async () => (await import('../pages/incidents/alerts/alerts.tsx')).AlertsPage)
const Explore = lazyStyled(async () => (await import('../pages/explore/explore.tsx')).ExplorePage)
const Collect = lazyStyled(async () => (await import('../pages/collect/collect.tsx')).CollectPage)
const Notify = lazyStyled(async () => (await import('../pages/notify/notify.tsx')).NotifyPage)
const Settings = lazyStyled(async () => (await import('../pages/settings/settings.tsx')).SettingsPage)
const Register = lazy(async () => (await import('../pages/account/register.tsx')).Register)
const Forgotten = lazy(async () => (await import('../pages/account/forgotten.tsx')).Forgotten)
const Reset = lazy(async () => (await import('../pages/account/reset.tsx')).Reset)
const DemoLogin = lazy(async () => (await import('../pages/account/demo-login.tsx')).DemoLogin)
const Confirm = lazy(async () => (await import('../pages/account/confirm.tsx')).Confirm)

const outside = new Set(
  ['/login', '/register', '/forgotten-password', '/reset-password', '/confirm-email', '/demo-login'].map(link),
)

export function App() {
  return (
    <LocationProvider scope={`${base}/`}>
      <Pages />
      <Toasts />
    </LocationProvider>
  )
}

function Pages() {
  const { path } = useLocation()
  useFocusOnPage()
  if (!outside.has(path)) return <Inside />
  return (
    <Router onRouteChange={toTop}>
      <Route path={link('/login')} component={Login} />
      <Route path={link('/register')} component={Register} />
      <Route path={link('/forgotten-password')} component={Forgotten} />
      <Route path={link('/reset-password')} component={Reset} />
      <Route path={link('/confirm-email')} component={Confirm} />
      <Route path={link('/demo-login')} component={DemoLogin} />
    </Router>
  )
}

function toTop(): void {
  scrollTo(0, 0)
}

/** Part of the page that needs a session. */
function Inside() {
  const { url, route } = useLocation()
  const user = me.value
  useEffect(() => {
    if (user === null) route(`${link('/login')}?next=${encodeURIComponent(url)}`, true)
  }, [user])
  useEffect(() => {
    if (!user) return
    connect()
    return disconnect
  }, [user?.id])
  if (!user) return user === undefined ? <Waiting /> : null
  return (
    <Shell key={user.id} user={user}>
      <Router onRouteChange={toTop}>
        <Route path={link('/')} component={Overview} />
        <Route path={link('/slos/new')} component={SloForm} />
        <Route path={link('/slos/:id/edit')} component={SloForm} />
        <Route path={link('/slos/:id/:view?')} component={Slo} />
        <Route path={link('/incidents/:id?')} component={Incidents} />
        <Route path={link('/alerts/:id?')} component={Alerts} />
        <Route path={link('/explore')} component={Explore} />
        <Route path={link('/collect/:view')} component={Collect} />
        <Route path={link('/notify/:view')} component={Notify} />
        <Route path={link('/settings')} component={Settings} />
        <Route default component={NotFound} />
      </Router>
    </Shell>
  )
}
