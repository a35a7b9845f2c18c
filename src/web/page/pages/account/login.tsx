import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { asApiError } from '../../api/client.ts'
import { needsSetup, registration, setting } from '../../api/page-settings.ts'
import { ending, signIn, me } from '../../api/session.ts'
import { link, nextOf } from '../../address/base.ts'
import { text, useAddress } from '../../address/fields.ts'
import { Button } from '../../ui/button.tsx'
import type { FieldSpec } from '../../ui/form/fields.tsx'
import { emailField } from './account-fields.ts'
import { SecondStep } from './second-step.tsx'
import { AccountForm, AccountPage } from './account-form.tsx'
import { signInWithLabel } from './words.ts'

const nextFields = { next: text }

const endings = {
  expired: 'Your session has ended. Sign in again.',
  elsewhere: 'You have signed out in another tab.',
}

const fields: readonly FieldSpec<{ email: string; password: string }>[] = [
  { ...emailField, autofocus: true },
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true },
]

/** Name of the OpenID provider; undefined if there is none. */
const provider = setting('oidc')
const isByProviderOnly = setting('oidc-only') !== undefined
const isBehindProxy = setting('proxy') !== undefined

export function Login() {
  const { route } = useLocation()
  const { next } = useAddress(nextFields).fields
  const [isFromProvider] = useState(() => location.hash === '#signed-in')
  const [problem, setProblem] = useState<string>()
  const [secondToken, setSecondToken] = useState<string>()
  const begin = (draft: object) =>
    signIn('/auth/login', draft).catch((error: unknown) => {
      const { body } = asApiError(error)
      if (body['code'] !== 'mfa_required') throw error
      setProblem(undefined)
      setSecondToken(String(body['mfa_token']))
    })
  const signInAt = (path: string) =>
    void signIn(path, {}).catch((error: unknown) => {
      const { message, details } = asApiError(error)
      setProblem(details === undefined ? message : `${message}: ${details}`)
    })
  const isSetUpFirst = !me.value && needsSetup.value && provider === undefined && !isBehindProxy
  useEffect(() => {
    if (me.value) route(nextOf(next), true)
    else if (isSetUpFirst) route(link('/register'), true)
  }, [me.value, isSetUpFirst])
  const isKnown = me.value !== undefined // otherwise a late answer about an older session could replace this one
  useEffect(() => {
    if (!isFromProvider || !isKnown) return
    history.replaceState(history.state, '', location.pathname + location.search)
    signInAt('/auth/refresh') // the provider's session is in the cookie
  }, [isKnown])
  const note = (
    <>
      {ending.value && <p role="status">{endings[ending.value]}</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {provider !== undefined && (
        <Button kind="primary" onClick={() => location.assign(startPath(next))}>
          {signInWithLabel(provider)}
        </Button>
      )}
      {isBehindProxy && <Button onClick={() => signInAt('/auth/proxy-login')}>Sign in through the proxy</Button>}
    </>
  )
  if (secondToken !== undefined) {
    const back = (why?: string) => {
      setProblem(why)
      setSecondToken(undefined)
    }
    return <SecondStep token={secondToken} onBack={back} />
  }
  if (isSetUpFirst) return null // a form here would take what is typed, and be replaced
  if (isByProviderOnly) return <AccountPage title="Sign in">{note}</AccountPage>
  return (
    <AccountForm
      title="Sign in"
      button="Sign in"
      initial={{ email: '', password: '' }}
      fields={fields}
      onSend={begin}
      note={note}
      below={
        <>
          <a href={link('/forgotten-password')}>Forgotten password</a>
          {(registration === 'open' || needsSetup.value) && <a href={link('/register')}>Register</a>}
        </>
      }
    />
  )
}

/** Address at which a sign-in by the provider begins; the browser leaves the page. */
function startPath(next: string | undefined): string {
  return `${link('/auth/oidc/start')}?next=${encodeURIComponent(nextOf(next))}`
}
