import { lazy, lazyStyled } from '../ui/lazy.ts'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { connect, disconnect } from '../api/live.ts'
import { me } from '../api/session.ts'
import { base, link } from '../address/base.ts'
import { routes, type Section } from '../address/routes.ts'
import { NotFound } from '../ui/page.tsx'
import { useFocusOnPage } from './focus.ts'
import { Waiting } from './shell/offline.tsx'
import { Shell } from './shell/shell.tsx'
import { Toasts } from '../ui/toasts.tsx'

const SloForm = lazyStyled(async () => (await import('../pages/slo-form/slo-form.tsx')).SloFormPage)

/** Page of each section, whose code is loaded when it is first shown. */
const pages: Record<keyof typeof routes, ComponentType> = {
  overview: lazy(async () => (await import('../pages/overview/overview.tsx')).OverviewPage),
  slo: lazy(async () => (await import('../pages/slo/slo.tsx')).SloPage),
  newSlo: SloForm,
  editSlo: SloForm,
  incidents: lazyStyled(async () => (await import('../pages/incidents/incidents.tsx')).IncidentsPage),
  alerts: lazyStyled(async () => (await import('../pages/incidents/alerts/alerts.tsx')).AlertsPage),
  corrections: lazyStyled(async () => (await import('../pages/corrections/corrections.tsx')).CorrectionsPage),
  reports: lazyStyled(async () => (await import('../pages/reports/reports.tsx')).ReportsPage),
  deploys: lazyStyled(async () => (await import('../pages/deploys/deploys.tsx')).DeploysPage),
  explore: lazyStyled(async () => (await import('../pages/explore/explore.tsx')).ExplorePage),
  collect: lazyStyled(async () => (await import('../pages/collect/collect.tsx')).CollectPage),
  notify: lazyStyled(async () => (await import('../pages/notify/notify.tsx')).NotifyPage),
  settings: lazyStyled(async () => (await import('../pages/settings/settings.tsx')).SettingsPage),
  login: lazy(async () => (await import('../pages/account/login.tsx')).Login),
  register: lazy(async () => (await import('../pages/account/register.tsx')).Register),
  forgotten: lazy(async () => (await import('../pages/account/forgotten.tsx')).Forgotten),
  reset: lazy(async () => (await import('../pages/account/reset.tsx')).Reset),
  demoLogin: lazy(async () => (await import('../pages/account/demo-login.tsx')).DemoLogin),
  confirm: lazy(async () => (await import('../pages/account/confirm.tsx')).Confirm),
}

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
  if (!Object.values<Section>(routes).some((one) => one.access === 'open' && link(one.path) === path)) return <Inside />
  return <Router onRouteChange={toTop}>{routesOf(true)}</Router>
}

/** Routes of the pages outside of the shell, or inside. Without keys, so that a page stays mounted at another of its addresses. */
function routesOf(isOutside: boolean) {
  return Object.entries<Section>(routes).flatMap(([name, { path, access }]) =>
    isOutside === (access === 'open') ? <Route path={link(path)} component={pages[name as keyof typeof pages]} /> : [],
  )
}

function toTop(): void {
  scrollTo(0, 0)
}

/** Part of the page that needs a session. */
function Inside() {
  const { url, route } = useLocation()
  const user = me.value
  const isRestricted = user?.mfa_setup_required
  useEffect(() => {
    if (user === null) route(`${link('/login')}?next=${encodeURIComponent(url)}`, true)
  }, [user])
  useEffect(() => {
    if (!user || isRestricted) return
    connect()
    return disconnect
  }, [user?.id, isRestricted])
  if (!user) return user === undefined ? <Waiting /> : null
  const shown = (
    <Router onRouteChange={toTop}>
      {isRestricted ? [] : routesOf(false)}
      <Route default component={isRestricted ? pages.settings : NotFound} />
    </Router>
  )
  return isRestricted ? (
    shown
  ) : (
    <Shell key={user.id} user={user}>
      {shown}
    </Shell>
  )
}
