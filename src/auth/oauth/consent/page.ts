import type { AppError } from '../../../errors.ts'
import { htmlPage, htmlText as text } from '../../../http/page.ts'
import type { AuthorizationRequest } from '../authorize.ts'
import type { ClientOfOrganization } from '../clients/store.ts'
import type { Scope } from '../credential.ts'

const style = 'consent.css'

type Consent = {
  client: ClientOfOrganization
  authRequest: AuthorizationRequest
  formToken: string
  email?: string
  problem?: AppError
  /** Token of the second step: the password was right. */
  mfaToken?: string
}

const meanings: Record<Scope, string> = {
  read: 'Read everything you can see: SLOs, error budgets, sources',
  write: 'Change SLOs and what belongs to them, as far as you may; never administer the organization',
}

/** The page on which a user signs in and allows an application to act for them, or denies it. Complete HTML. */
export function consentPage({ client, authRequest, formToken, email = '', problem, mfaToken }: Consent): string {
  const name = text(client.name)
  const scopes = authRequest.scopes.map((scope) => `<li><b>${scope}</b> ${meanings[scope]}</li>`).join('')
  const alert = problem ? `<p class="problem" role="alert">${text(sentenceOf(problem))}</p>` : ''
  return htmlPage(
    `${name} wants to act for you`,
    `<h1><bdi>${name}</bdi> wants to act for you</h1>
<p>with your account at <b><bdi>${text(client.organization_name)}</bdi></b>. It will be able to:</p>
<ul>${scopes}</ul>
<p>until you revoke it under Settings, Security, it is not used for 30 days, or a year has passed.</p>
<form method="post" action="authorize">
<input type="hidden" name="request" value="${text(formToken)}">
${alert}
${mfaToken === undefined ? passwordFields(email) : codeFields(email, mfaToken)}
<div class="buttons">
<button name="decision" value="allow">${mfaToken === undefined ? 'Sign in and allow' : 'Allow'}</button>
<button name="decision" value="deny" class="quiet" formnovalidate>Deny</button>
</div>
</form>
<p class="note">Either way you go on to <b>${text(new URL(authRequest.redirectUri).host)}</b>. Your password stays here.</p>`,
    style,
  )
}

function passwordFields(email: string): string {
  return `<label>E-mail <input type="email" name="email" value="${text(email)}" autocomplete="username" maxlength="254" required></label>
<label>Password <input type="password" name="password" autocomplete="current-password" maxlength="256" required></label>`
}

function codeFields(email: string, mfaToken: string): string {
  return `<input type="hidden" name="email" value="${text(email)}">
<input type="hidden" name="mfa_token" value="${text(mfaToken)}">
<label>Code of your authenticator app, or a recovery code <input name="code" autocomplete="one-time-code" maxlength="100" required autofocus></label>`
}

/** The page for a request whose user must not be redirected anywhere. */
export function problemPage(problem: AppError): string {
  const details = problem.details === undefined ? '' : `<p>${text(problem.details)}.</p>`
  return htmlPage(problem.message, `<h1>${text(problem.message)}</h1>${details}`, style)
}

function sentenceOf({ kind, message, body }: AppError): string {
  if (body['code'] === 'mfa_code_wrong') return 'The code is wrong, or was used already.'
  if (body['code'] === 'mfa_token_invalid') return 'The code came too late. Sign in again.'
  if (kind === 'unauthenticated') return 'E-mail or password is wrong.'
  const more = typeof body['message'] === 'string' ? `: ${body['message']}` : ''
  return `${message}${more}.`
}
