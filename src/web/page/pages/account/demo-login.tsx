import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { type ApiError, asApiError } from '../../api/client.ts'
import { signIn, me } from '../../api/session.ts'
import { link } from '../../address/base.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/read.tsx'
import { AccountPage } from './account-form.tsx'
import { demoAdvice, isTokenRefused } from './words.ts'

/** Page of the link that a starting demo prints. The token is in the fragment and is removed from the address at once. */
export function DemoLogin() {
  const { route } = useLocation()
  const [token] = useState(() => location.hash.slice(1))
  const [error, setError] = useState<ApiError>()
  const isKnown = me.value !== undefined // otherwise a late answer about an older session could replace this one
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname)
  }, [])
  useEffect(() => {
    if (!isKnown) return
    signIn('/auth/demo-login', { token })
      .then(() => route(link('/'), true))
      .catch((problem: unknown) => setError(asApiError(problem)))
  }, [isKnown])
  if (!error) {
    return (
      <AccountPage title="Sign in to the demo">
        <Skeleton heightPx={36} lines={2} />
      </AccountPage>
    )
  }
  return (
    <AccountPage title={headingOf(error)}>
      <p>{demoAdvice(error.status)}</p>
      <LinkButton kind="primary" href={link('/login')}>
        Sign in
      </LinkButton>
    </AccountPage>
  )
}

function headingOf({ status, message }: ApiError): string {
  if (status === 403) return 'This link works on the machine that nines runs on'
  return isTokenRefused(status) ? 'This link is not valid' : message
}
