import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { closeAll } from '../support/closing.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { checkout } from '../support/slo-calls.ts'
import { isWithoutBrowser, launchBrowser, looksRight } from './browser.ts'
import { elsewhere, heading, problemAt, signIn, signOut, type Visit, visit } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "accounts on the page": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('accounts on the page', () => {
  let browser: Browser
  let box: MailServer
  beforeAll(async () => {
    browser = await launchBrowser()
    box = await startMailServer({ isOpen: true })
  })
  afterAll(async () => {
    await browser.close()
    await box.close()
  })
  afterEach(closeAll)

  const fillAccount = async (page: Page, name: string, password: string) => {
    await page.getByLabel('E-mail').fill(`${name}@example.com`)
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Password').fill(password)
  }
  /** The newest mailed link whose path begins with `path`. */
  const mailed = async ({ nines, url }: Visit, path: string) => {
    await nines.app.mailer.drain()
    const links = box.mails.map(({ text }) => new RegExp(`${url}${path}\\S+`).exec(text)?.[0])
    return new URL(links.findLast((link) => link !== undefined) ?? '').href
  }

  test.each([
    ['invite', '', 'You need an invitation'],
    ['closed', '', 'Registration is closed'],
    ['closed', '?invitation_token=abc', 'Registration is closed'],
  ])(
    'where registration is %p, /register%s says so, and signing in does not lead there',
    async (mode, query, title) => {
      const { url, page, net } = await visit(browser, { REGISTRATION: mode }, ['ada'])
      await page.goto(`${url}/register${query}`)
      await heading(page, title)
      expect(await page.getByLabel('E-mail').count()).toBe(0)
      await looksRight(page)
      await page.getByRole('link', { name: 'Sign in' }).click()
      await heading(page, 'Sign in')
      expect(await page.getByRole('link', { name: 'Register' }).count()).toBe(0)
      expect(net.problems).toEqual([])
    },
  )

  test('after too many failed logins the page counts the seconds until the next', async () => {
    const { url, page, net } = await visit(browser, {}, ['ada'])
    await page.goto(`${url}/login`)
    net.expected.add('POST /api/v1/auth/login 429')
    let refused = 0
    await page.route('**/auth/login', (route) =>
      refused++ === 0
        ? route.fulfill({ status: 429, headers: { 'retry-after': '4' }, json: { error: 'Too many failed logins' } })
        : route.continue(),
    )
    await signIn(page, 'ada', 'wrong horse')
    await page.getByRole('alert').getByText('Too many failed logins').waitFor()
    await page
      .getByRole('timer')
      .getByText(/^Try again in 0:0[345]\.$/)
      .waitFor()
    await page.getByRole('timer').getByText('Try again in 0:01.').waitFor()
    await page.getByRole('timer').waitFor({ state: 'detached' })
    expect([refused, await page.getByRole('alert').count()]).toEqual([1, 0])
    await signIn(page, 'ada')
    await heading(page, 'Overview')
    expect(net.problems).toEqual([])
  })

  test('the e-mail address changes once the link in the mail to the new one is followed', async () => {
    const world = await visit(browser, { SMTP_URL: box.url }, ['ada'])
    const { url, page, net } = world
    await page.goto(`${url}/settings`)
    await signIn(page, 'ada')
    await page.getByRole('button', { name: 'Change the e-mail address' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New e-mail address').fill('countess@example.com')
    await dialog.getByLabel('Your password').fill('correct horse')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('A link is on its way to countess@example.com.').waitFor()
    await page.getByText(/^countess@example.com was mailed a link, good until /).waitFor()
    await page.getByRole('button', { name: 'Withdraw the change' }).waitFor()
    await looksRight(page)
    await page.goto(await mailed(world, '/confirm-email'))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await heading(page, 'The e-mail address is confirmed')
    await page.goto(`${url}/settings`)
    await page.getByRole('region', { name: 'You' }).getByText('countess@example.com').waitFor()
    expect(net.problems).toEqual([])
  })

  test('who has not confirmed the address yet has the link mailed again', async () => {
    const world = await visit(browser, { SMTP_URL: box.url, REGISTRATION: 'open' }, ['ada'])
    const { nines, url, page, net } = world
    const account = { email: 'eve@example.com', name: 'Eve', password: 'correct horse', organization_name: 'Eve Inc' }
    expect((await nines.call('POST', '/api/v1/auth/register', account, { token: null })).status).toBe(201)
    await page.goto(`${url}/settings`)
    await signIn(page, 'eve')
    const before = await mailed(world, '/confirm-email')
    await page.getByRole('button', { name: 'Mail the link again' }).click()
    await page.getByText('A link is on its way to eve@example.com.').waitFor()
    await looksRight(page)
    const again = await mailed(world, '/confirm-email')
    expect(again).not.toBe(before)
    await page.goto(again)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await heading(page, 'The e-mail address is confirmed')
    await page.goto(`${url}/settings`)
    await page.getByRole('region', { name: 'You' }).getByText('eve@example.com').waitFor()
    expect(await page.getByText('(not confirmed)').count()).toBe(0)
    expect(net.problems).toEqual([])
  })

  test('where registration is open, signing in leads to it', async () => {
    const { url, page, net } = await visit(browser, { REGISTRATION: 'open' }, ['ada'])
    await page.goto(`${url}/login`)
    await page.getByRole('link', { name: 'Register' }).click()
    await heading(page, 'Register')
    await looksRight(page)
    await fillAccount(page, 'ada', 'another horse')
    net.expected.add('POST /api/v1/auth/register 409')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await problemAt(page, 'E-mail')
      .getByText(/^Already has an account; .+\.$/)
      .waitFor()
    await page.locator('[aria-invalid][type=email]:focus').waitFor()
    await page.getByLabel('E-mail').fill('eve@example.com')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await heading(page, 'Overview')
    expect(net.problems).toEqual([])
  })

  test('from another machine the first account needs the setup token, which the printed link fills in', async () => {
    const { nines, url, page, net } = await visit(browser, { REGISTRATION: 'invite' }, [], elsewhere)
    await page.goto(`${url}/`)
    await heading(page, 'Create the first account')
    await looksRight(page)
    await fillAccount(page, 'ada', 'correct horse')
    net.expected.add('POST /api/v1/auth/register 403')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await problemAt(page, 'Setup token').getByText('must be the setup token').waitFor()
    await page.goto('about:blank')
    await page.goto(`${url}/register#setup_token=${nines.app.setupToken.secret()}`)
    await heading(page, 'Create the first account')
    await fillAccount(page, 'ada', 'correct horse')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await heading(page, 'Overview')
    await signOut(page, 'ada')
    expect(net.problems).toEqual([])
  })

  test('the link of a mailed invitation lets in who was invited, once', async () => {
    const world = await visit(browser, { SMTP_URL: box.url, REGISTRATION: 'invite' }, ['ada'])
    const { nines, page, net } = world
    await nines.call('POST', '/api/v1/organization/invitations', { email: 'eve@example.com', role: 'viewer' })
    const link = await mailed(world, '/register')
    await page.goto(link)
    await heading(page, 'Accept the invitation')
    await looksRight(page)
    await fillAccount(page, 'mallory', 'another horse')
    net.expected.add('POST /api/v1/auth/register 400')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await problemAt(page, 'E-mail').getByText('must be the address that was invited').waitFor()
    await page.getByLabel('E-mail').fill('Eve@example.com')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await heading(page, 'Overview')
    const { body } = await nines.call('GET', '/api/v1/organization/users')
    expect(body.users).toMatchObject([
      { name: 'ada' },
      { email: 'Eve@example.com', role: 'viewer', email_confirmed: true },
    ])
    await signOut(page, 'mallory')
    await page.goto(link)
    await fillAccount(page, 'eve', 'another horse')
    await page.getByRole('button', { name: 'Make the account' }).click()
    await page.getByRole('alert').getByText('Invitation not valid').waitFor()
    expect(net.problems).toEqual([])
  })

  test('the mailed link sets a new password, once', async () => {
    const world = await visit(browser, { SMTP_URL: box.url }, ['ada'])
    const { url, page, net } = world
    await page.goto(`${url}/login`)
    await page.getByRole('link', { name: 'Forgotten password' }).click()
    await heading(page, 'Forgotten password')
    await looksRight(page)
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByRole('button', { name: 'Send a link' }).click()
    await heading(page, 'Look into your mailbox')
    const link = await mailed(world, '/reset-password')
    await page.goto(link)
    await heading(page, 'Choose a new password')
    await looksRight(page)
    net.expected.add(/^POST \/api\/v1\/auth\/password-reset-confirm 40[01]$/)
    await page.getByLabel('New password').fill('password')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await problemAt(page, 'New password').waitFor()
    await page.getByLabel('New password').fill('a third horse')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await signIn(page, 'ada', 'a third horse')
    await heading(page, 'Overview')
    await signOut(page, 'ada')
    await page.goto(link)
    await page.getByLabel('New password').fill('a fourth horse')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await problemAt(page, 'New password').waitFor()
    await page.getByRole('link', { name: 'Ask for another link' }).click()
    await heading(page, 'Forgotten password')
    expect(net.problems).toEqual([])
  })

  test('two tabs share a session: signing in by one signs in both, and signing out ends both', async () => {
    const { url, page, net, tab } = await visit(browser, {}, ['ada'])
    const other = await tab()
    await page.goto(`${url}/`)
    await other.goto(`${url}/`)
    await heading(other, 'Sign in')
    await signIn(page, 'ada')
    await heading(page, 'Overview')
    await heading(other, 'Overview')
    await Promise.all([page.reload(), other.reload()])
    await Promise.all([heading(page, 'Overview'), heading(other, 'Overview')])
    await signOut(other, 'ada')
    await heading(page, 'Sign in')
    await page.reload()
    await heading(page, 'Sign in')
    expect(net.problems).toEqual([])
  })

  test('where another tab signs in as another user, nothing of the user before stays', async () => {
    const { nines, url, page, net, tab } = await visit(browser, { REGISTRATION: 'open' }, ['ada'])
    const { token, ...eve } = { name: 'Eve answers', token: await nines.join('eve') }
    await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'Ada answers' })
    await nines.call('POST', '/api/v1/slos', { ...checkout, ...eve }, { token })
    await page.goto(`${url}/`)
    await signIn(page, 'ada')
    await page.getByRole('link', { name: 'Ada answers' }).waitFor()
    const { body } = await nines.call('POST', '/api/v1/auth/login', {
      email: 'eve@example.com',
      password: 'correct horse',
    })
    const other = await tab()
    await other.goto(`${url}/`)
    await other.getByRole('link', { name: 'Ada answers' }).waitFor()
    await other.evaluate((tokens) => new BroadcastChannel('nines.session').postMessage({ tokens }), body)
    await page.getByRole('link', { name: 'Eve answers' }).waitFor()
    expect(await page.getByText('Ada answers').count()).toBe(0)
    expect(net.problems).toEqual([])
  })

  test('an organization sees nothing of another: not in its list, not by a typed address, not after the other in one tab', async () => {
    const { nines, url, page, net } = await visit(browser, { REGISTRATION: 'open' }, ['ada'])
    const eve = { token: await nines.join('eve') }
    const made = async (name: string, options?: { token: string }): Promise<number> =>
      (await nines.call('POST', '/api/v1/slos', { ...checkout, name }, options)).body.id
    const [ofAda, ofEve] = [await made('Ada answers'), await made('Eve answers', eve)]
    await page.goto(`${url}/`)
    await signIn(page, 'ada')
    await page.getByRole('link', { name: 'Ada answers' }).waitFor()
    expect(await page.locator('.slo-row').count()).toBe(1)
    await signOut(page, 'ada')
    await signIn(page, 'eve')
    await page.getByRole('link', { name: 'Eve answers' }).waitFor()
    expect(await page.getByText('Ada answers').count()).toBe(0)
    net.expected.add(new RegExp(`^GET /api/v1/slos/${ofAda}(?:/.*)? 404$`))
    await page.goto(`${url}/slos/${ofAda}`)
    await page.getByText('There is no such page').waitFor()
    expect(await page.getByText('Ada').count()).toBe(0)
    await page.goto(`${url}/slos/${ofEve}`)
    await heading(page, 'Eve answers')
    expect(net.problems).toEqual([])
  })
})
