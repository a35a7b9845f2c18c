import { lazy } from './lazy.ts'
import { LocationProvider, Router, useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import { connect, disconnect } from './api/live.ts'
import { me } from './api/session.ts'
import { base, link } from './base.ts'
import { Login } from './pages/account/login.tsx'
import { NotFound } from './pages/not-found.tsx'
import { Shell } from './shell/shell.tsx'
import { Toasts } from './ui/toast.tsx'

const Overview = lazy(() => import('./pages/overview/overview.tsx'))
const Slo = lazy(() => import('./pages/slo/slo.tsx'))
const Register = lazy(() => import('./pages/account/register.tsx'))
const Forgotten = lazy(() => import('./pages/account/forgotten.tsx'))
const Reset = lazy(() => import('./pages/account/reset.tsx'))
const Confirm = lazy(() => import('./pages/account/confirm.tsx'))

const outside = ['/login', '/register', '/forgotten-password', '/reset-password', '/confirm-email'].map(link)

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
  if (!outside.includes(path)) return <Inside />
  return (
    <Router onRouteChange={toTop}>
      <Login path={link('/login')} />
      <Register path={link('/register')} />
      <Forgotten path={link('/forgotten-password')} />
      <Reset path={link('/reset-password')} />
      <Confirm path={link('/confirm-email')} />
    </Router>
  )
}

function toTop(): void {
  scrollTo(0, 0)
}

/** What only those who have signed in see. */
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
  if (!user) return null
  return (
    <Shell user={user}>
      <Router onRouteChange={toTop}>
        <Overview path={link('/')} />
        <Slo path={link('/slos/:id')} />
        <Slo path={link('/slos/:id/:part')} />
        <NotFound default />
      </Router>
    </Shell>
  )
}
