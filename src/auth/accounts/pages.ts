import type { AppError } from '../../errors.ts'
import { htmlPage, htmlText as text } from '../../http/page.ts'

const style = 'oauth/consent.css'

/** What a link or a form sent before says; `problem`: why what was sent did not do. */
export type Filled = { fields: ReadonlyMap<string, string>; problem?: AppError | undefined }

/** The page behind the link of an invitation. Each of these is complete HTML. */
export function registerPage({ fields, problem }: Filled): string {
  const invited = fields.get('invitation_token')
  return formPage('Make an account', 'register', 'Make the account', problem, [
    invited === undefined
      ? input('Setup token, for the first account from another machine', 'name="setup_token" maxlength="200"')
      : hidden('invitation_token', invited),
    input(
      'E-mail',
      `type="email" name="email" value="${valueOf(fields, 'email')}" autocomplete="username" maxlength="254" required`,
    ),
    input('Name', `name="name" value="${valueOf(fields, 'name')}" autocomplete="name" maxlength="200" required`),
    newPassword('password'),
  ])
}

/** The page behind the link of a password reset. */
export function resetPage({ fields, problem }: Filled): string {
  const token = hidden('token', fields.get('token') ?? '')
  return formPage('Choose a new password', 'reset-password', 'Set the password', problem, [
    token,
    newPassword('new_password'),
  ])
}

/** The page behind the link that confirms an address: a button, since programs follow links too. */
export function confirmPage({ fields, problem }: Filled): string {
  const token = hidden('token', fields.get('token') ?? '')
  return formPage('Confirm your e-mail address', 'confirm-email', 'Confirm', problem, [token])
}

/** What has come of a form, in one sentence. */
export function donePage(sentence: string): string {
  return htmlPage('Done', `<h1>${text(sentence)}</h1><p><a href="docs">API reference</a></p>`, style)
}

function formPage(
  title: string,
  action: string,
  button: string,
  problem: AppError | undefined,
  inputs: string[],
): string {
  const alert = problem ? `<p class="problem" role="alert">${text(sentenceOf(problem))}</p>` : ''
  return htmlPage(
    title,
    `<h1>${title}</h1>
${alert}
<form method="post" action="${action}">
${inputs.join('\n')}
<div class="buttons"><button>${button}</button></div>
</form>`,
    style,
  )
}

function input(label: string, attributes: string): string {
  return `<label>${label} <input ${attributes}></label>`
}

function newPassword(name: string): string {
  const bounds = 'minlength="8" maxlength="256"'
  return input(
    'Password, 8 characters or more',
    `type="password" name="${name}" autocomplete="new-password" ${bounds} required`,
  )
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${text(value)}">`
}

function valueOf(fields: Filled['fields'], name: string): string {
  return text(fields.get(name) ?? '')
}

function sentenceOf({ message, details }: AppError): string {
  return details === undefined ? `${message}.` : `${message}: ${details}.`
}
