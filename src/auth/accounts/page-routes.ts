import { Elysia } from 'elysia'
import { AppError } from '../../errors.ts'
import { deferBody } from '../../http/bodies/body.ts'
import { type ResponseHead, setError } from '../../http/errors.ts'
import { html } from '../../http/page.ts'
import { assertOwnForm, type Form, readForm } from '../../http/bodies/form.ts'
import { isFromThisMachine } from '../../http/headers/origin.ts'
import { queryValues } from '../../http/checks/query.ts'
import { readerOf } from '../../http/schemas.ts'
import type { OpenDeps } from '../../http/signed-in.ts'
import { confirmPage, donePage, type Filled, registerPage, resetPage } from './pages.ts'
import { confirmEmail } from './email-confirmation.ts'
import { Registration } from './model.ts'
import { confirmReset } from '../passwords/replace.ts'
import { ResetConfirmation } from './mailed-token-routes.ts'
import { type AccountDeps, registerAccount } from './routes.ts'

type Deps = AccountDeps & { guard: OpenDeps }
type Page = (filled: Filled) => string

const readRegistration = readerOf(Registration)
const readReset = readerOf(ResetConfirmation)

/** The pages that links in mails lead to, as long as there is no page for everything. They do what the API does. */
export const accountPageRoutes = ({ guard: { originOf, body }, ...deps }: Deps) =>
  new Elysia({ detail: { hide: true } })
    .onParse({ as: 'local' }, deferBody)
    .get('/register', ({ request, set }) => showForm(set, registerPage, request, 'invitation_token'))
    .get('/reset-password', ({ request, set }) => showForm(set, resetPage, request, 'token'))
    .get('/confirm-email', ({ request, set }) => showForm(set, confirmPage, request, 'token'))
    .post('/register', ({ request, server, set }) =>
      answer(set, registerPage, request, body, async (form) => {
        const place = { ...originOf(request, server), isLocal: isFromThisMachine(request, server) }
        await registerAccount(deps, readRegistration(Object.fromEntries(form)), place)
        return 'The account is made. Sign in with its e-mail and password'
      }),
    )
    .post('/reset-password', ({ request, server, set }) =>
      answer(set, resetPage, request, body, async (form) => {
        const { token, new_password: password } = readReset(Object.fromEntries(form))
        await confirmReset(deps, token.trim(), password, originOf(request, server))
        return 'The password is changed. Sign in with the new one'
      }),
    )
    .post('/confirm-email', ({ request, server, set }) =>
      answer(set, confirmPage, request, body, async (form) => {
        await confirmEmail(deps, (form.get('token') ?? '').trim(), originOf(request, server))
        return 'The e-mail address is confirmed'
      }),
    )

function showForm(set: ResponseHead, page: Page, { url }: Request, name: string): string {
  const [token] = queryValues(url, name)
  return html(set, page({ fields: new Map(token === undefined ? [] : [[name, token]]) }))
}

/** Carries out a form; `work` gives what to say of it. What was wrong is said on the page, with what was filled in. */
async function answer(
  set: ResponseHead,
  page: Page,
  request: Request,
  bounds: OpenDeps['body'],
  work: (form: Form) => Promise<string>,
): Promise<string> {
  let fields: Form = new Map()
  try {
    assertOwnForm(request)
    fields = await readForm(request, bounds)
    return html(set, donePage(await work(fields)))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    setError(set, error)
    return html(set, page({ fields, problem: error }))
  }
}
