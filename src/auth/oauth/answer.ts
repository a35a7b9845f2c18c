import { AppError } from '../../errors.ts'
import { statusOf } from '../../http/errors.ts'
import { policyWithFormTargets } from '../../http/headers/headers.ts'
import type { Asked } from './authorize.ts'
import type { KnownClient } from './clients/store.ts'
import { OAuthError } from './error.ts'
import type { FormTokens } from './consent/form-tokens.ts'
import { consentPage, problemPage } from './consent/page.ts'
import { formTargetsOf } from './clients/redirect-uri.ts'

/** The answer under way, as Elysia has it. */
type Answer = { status?: number | string; headers: Record<string, string | number> }

type Shown = { redirectTo: string } | { client: KnownClient; asked: Asked; email?: string; problem?: AppError }

/** Answers a person: a redirect, the consent page, or a page that says what is wrong. */
export async function answerPage(set: Answer, formTokens: FormTokens, work: () => Promise<Shown>): Promise<string> {
  try {
    const shown = await work()
    if ('redirectTo' in shown) {
      set.status = 303 // a browser follows with GET: the password goes no further
      set.headers['location'] = shown.redirectTo
      return ''
    }
    set.headers['Content-Security-Policy'] = policyWithFormTargets(formTargetsOf(shown.asked.redirectUri))
    if (shown.problem) tellProblem(set, shown.problem)
    return html(set, consentPage({ ...shown, formToken: formTokens.issue(shown.asked) }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    tellProblem(set, error)
    return html(set, problemPage(error))
  }
}

function tellProblem(set: Answer, problem: AppError): void {
  set.status = statusOf[problem.kind]
  Object.assign(set.headers, problem.headers)
}

function html(set: Answer, page: string): string {
  set.headers['content-type'] = 'text/html; charset=utf-8'
  return page
}

/** Answers an application: JSON, and errors in the shape of RFC 6749, 5.2. */
export async function answerCall<T>(set: Answer, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) {
      tellProblem(set, error)
      return { error: 'invalid_request', error_description: error.details ?? error.message }
    }
    if (!(error instanceof OAuthError)) throw error
    const isUnknown = error.kind === 'invalid_client'
    set.status = isUnknown ? 401 : 400
    if (isUnknown) set.headers['www-authenticate'] = 'Basic realm="nines"'
    return { error: error.kind, error_description: error.message }
  }
}
