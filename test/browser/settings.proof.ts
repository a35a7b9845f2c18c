import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { version } from '../../package.json' with { type: 'json' }
import type { WriteBackup } from '../../src/app/backups/scheduled-backups.ts'
import { newAccessToken } from '../../src/auth/oauth/credential.ts'
import { dayMs, hourMs } from '../../src/clock.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'
import { checkout } from '../support/slo-calls.ts'
import { isWithoutBrowser, launchBrowser, looksRight, watchContext } from './browser.ts'
import { heading, signIn, visit } from './visit.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "settings": chromium is not installed\n')

const sections = [
  'Account',
  'Security',
  'People',
  'Teams',
  'Applications',
  'Sign-in',
  'Audit log',
  'Cache',
  'Quotas',
  'System',
]

describe.skipIf(isWithoutBrowser)('settings', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())
  afterEach(closeAll)

  test('an administrator invites, and who was invited is removed while signed in', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    await page.goto(`${url}/settings`)
    await signIn(page, 'ada')
    await heading(page, 'Settings')
    const nav = page.getByRole('navigation', { name: 'Sections of Settings' })
    expect(await nav.getByRole('link').allInnerTexts()).toEqual(sections)
    for (const name of sections) {
      await nav.getByRole('link', { name, exact: true }).click()
      await page.locator('main section h2').first().waitFor()
      await looksRight(page)
    }

    await nav.getByRole('link', { name: 'People' }).click()
    const invitations = page.getByRole('region', { name: 'Invitations' })
    await invitations.getByLabel('E-mail').fill('grace@example.com')
    await invitations.getByLabel('Role').selectOption('viewer')
    await invitations.getByRole('button', { name: 'Invite' }).click()
    const link = await invitations.getByLabel(/^Send this link to grace@example.com/).inputValue()
    await looksRight(page)

    const context = await browser.newContext({ reducedMotion: 'reduce' })
    await context.clock.setSystemTime(nines.clock.now())
    const theirs = await watchContext(context, url)
    const grace = await context.newPage()
    await grace.goto(link)
    await grace.getByLabel('Name').fill('grace')
    expect(await grace.getByLabel('E-mail').inputValue()).toBe('grace@example.com')
    await grace.getByLabel('Password').fill('correct horse')
    await grace.getByRole('button', { name: 'Make the account' }).click()
    await grace.getByRole('button', { name: 'grace', exact: true }).waitFor()
    await grace.goto(`${url}/settings/people`)
    await grace.getByRole('cell', { name: 'grace@example.com' }).waitFor()
    const offered = grace.getByRole('navigation', { name: 'Sections of Settings' }).getByRole('link')
    expect(await offered.allInnerTexts()).toEqual(['Account', 'Security', 'People', 'Teams', 'Cache'])
    expect(await grace.getByRole('region', { name: 'Invitations' }).count()).toBe(0)
    expect(await grace.getByRole('button', { name: /^Remove/ }).count()).toBe(0)
    await grace.goto(`${url}/settings/audit`)
    await heading(grace, 'There is no such page')

    theirs.expected.add(/ 401$|auth\/refresh 404$/)
    await page.reload()
    await page.getByRole('button', { name: 'Sign out grace' }).click()
    await page.getByRole('dialog').getByText('grace is signed out of every browser at once').waitFor()
    await looksRight(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('grace: signed out everywhere.').waitFor()
    await signIn(grace, 'grace')

    await page.getByRole('button', { name: 'Remove grace' }).click()
    await page.getByText(/^grace is signed out at once/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('grace: removed.').waitFor()
    await grace.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ timeout: 1000 })

    await nav.getByRole('link', { name: 'Audit log' }).click()
    await page.getByLabel('Action').selectOption('user_removed')
    await page.getByText('user_email: grace@example.com').waitFor()
    await page.getByLabel('Object').fill('nobody')
    await page.getByText('No matching entries.').waitFor()
    await page.getByLabel('Object').fill('GRACE@')
    await page.getByText('user_email: grace@example.com').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    expect((await download).suggestedFilename()).toBe('audit-log.csv')
    await context.close()
    expect([net.problems, theirs.problems]).toEqual([[], []])
  })

  test('an application that acts for one is listed, and revoked at once', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    await page.goto(`${url}/settings/security`)
    await signIn(page, 'ada')
    const applications = page.getByRole('region', { name: 'Applications that act for you' })
    await applications.getByText('You have allowed no application.').waitFor()
    const redirect_uris = ['https://reporter.example/callback']
    const { body } = await nines.call('POST', '/api/v1/oauth/clients', { name: 'Reporter', redirect_uris })
    const { token, hash } = newAccessToken()
    const nowMs = nines.clock.now()
    const { id } = await nines.app.db.read.selectFrom('users').select('id').executeTakeFirstOrThrow()
    await nines.app.db.write
      .insertInto('oauth_tokens')
      .values({
        access_hash: hash,
        refresh_hash: 'refresh',
        grant_id: 'grant',
        client_id: body.client_id,
        user_id: id,
        scopes: 'read write',
        access_scopes: 'read write',
        granted_at: nowMs - dayMs,
        created_at: nowMs,
        access_expires_at: nowMs + hourMs,
        refresh_expires_at: nowMs + 30 * dayMs,
        refresh_used_at: null,
      })
      .execute()
    const statusOf = async () => (await nines.call('GET', '/api/v1/auth/me', undefined, { token })).status
    expect(await statusOf()).toBe(200)

    await page.reload()
    await applications.getByRole('row', { name: /^Reporter Read and change/ }).waitFor()
    await looksRight(page)
    await applications.getByRole('button', { name: 'Revoke Reporter' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Reporter: revoked.').waitFor()
    await applications.getByText('You have allowed no application.').waitFor()
    expect(await statusOf()).toBe(401)
    expect(net.problems).toEqual([])
  })

  test('a session on another device is listed, and ended at once', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada'])
    await page.goto(`${url}/settings/security`)
    await signIn(page, 'ada')
    const sessions = page.getByRole('region', { name: 'Sessions' })
    await sessions.getByRole('rowheader', { name: /^Chrome on .+ This one$/ }).waitFor()

    const context = await browser.newContext({
      reducedMotion: 'reduce',
      userAgent: 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
    })
    await context.clock.setSystemTime(nines.clock.now())
    const theirs = await watchContext(context, url)
    theirs.expected.add(/ 401$/)
    const other = await context.newPage()
    await other.goto(`${url}/settings/security`)
    await signIn(other, 'ada')
    await other.getByRole('region', { name: 'Sessions' }).getByText('Firefox on Windows').waitFor()

    await page.reload()
    await looksRight(page)
    nines.clock.advance(16 * 60_000)
    net.expected.add(/^DELETE .* 403$/)
    await sessions.getByRole('button', { name: 'End Firefox on Windows' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
    await page.getByText('This is for the first 15 minutes after a sign-in: sign out, and in again.').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await signIn(page, 'ada')
    await sessions.getByRole('button', { name: 'End Firefox on Windows' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
    await page.getByText('Firefox on Windows: signed out.').waitFor()
    await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ timeout: 1000 })

    await sessions.getByRole('button', { name: 'End all others' }).click()
    await page.getByText(/^The (?:# )?other session/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click()
    await page.getByText('1 other session has ended.').waitFor()
    await sessions.getByRole('button', { name: 'End all others' }).and(page.locator('[aria-disabled="true"]')).waitFor()
    await context.close()
    expect([net.problems, theirs.problems]).toEqual([[], []])
  })

  test('how people sign in is shown to the administrators of the first organization', async () => {
    const { url, page, net } = await visit(browser, {}, ['ada', 'eve'])
    await page.goto(`${url}/settings/sign-in`)
    await signIn(page, 'ada')
    await page.getByText('E-mail and password').waitFor()
    await page.getByText('Anybody may register, and gets an organization of their own.').waitFor()
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const theirs = await watchContext(context, url)
    theirs.expected.add('GET /api/v1/organization/sign-in 403')
    const other = await context.newPage()
    await other.goto(`${url}/settings/sign-in`)
    await signIn(other, 'eve')
    await other.getByText('An administrator of the first organization can see this.').waitFor()
    await context.close()
    expect([net.problems, theirs.problems]).toEqual([[], []])
  })

  test('while registration is closed nobody can be invited, and the button says why', async () => {
    const { nines, url, page, net } = await visit(browser, { REGISTRATION: 'closed' }, ['ada'])
    await page.goto(`${url}/settings/people`)
    await signIn(page, 'ada')
    const invitations = page.getByRole('region', { name: 'Invitations' })
    await invitations.getByLabel('E-mail').fill('grace@example.com')
    const button = invitations.getByRole('button', { name: 'Invite', disabled: true })
    expect(await button.getAttribute('title')).toBe('Registration is closed: nobody could accept an invitation.')
    await button.click({ force: true })
    await invitations.getByLabel('E-mail').press('Enter')
    await looksRight(page)
    expect((await nines.call('GET', '/api/v1/organization/invitations')).body.total).toBe(0)
    expect(net.problems).toEqual([])
  })

  test('an administrator of the first organization begins a backup, and reads how the last one ended', async () => {
    const folder = newFolder()
    let problem: string | null = 'there is no space left on the disk'
    const writeBackup: WriteBackup = async (file) => {
      if (problem === null) writeFileSync(file, Buffer.alloc(1_234_567))
      return problem
    }
    const env = { BACKUP_DIR: folder, BACKUP_SCHEDULE: '15 2 * * *' }
    const { url, page, net } = await visit(browser, env, ['ada', 'eve'], {}, { writeBackup })
    await page.goto(`${url}/settings/system`)
    await signIn(page, 'ada')
    const backups = page.getByRole('region', { name: 'Backups' })
    await backups.getByText('There is no backup in the folder for backups yet.').waitFor()
    await backups.getByRole('button', { name: 'Back up now' }).click()
    await backups.getByText('Failed: there is no space left on the disk').waitFor()
    await looksRight(page)
    problem = null
    await backups.getByRole('button', { name: 'Back up now' }).click()
    await backups.getByText(/^Written in .* s, and restored as a check$/).waitFor()
    await backups.getByRole('rowheader', { name: /^nines-20261121T100000Z\.tar\.zst$/ }).waitFor()
    await backups.getByRole('cell', { name: /^1\.2.MB$/ }).waitFor()
    await looksRight(page)
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const theirs = await watchContext(context, url)
    theirs.expected.add(/GET \/api\/v1\/(?:backups|organization\/system) 403$/)
    const other = await context.newPage()
    await other.goto(`${url}/settings/system`)
    await signIn(other, 'eve')
    await other.getByText('An administrator of the first organization can see this.').waitFor()
    await context.close()
    expect([net.problems, theirs.problems]).toEqual([[], []])
  })

  test('after an upgrade, an administrator reads what is new and closes the line', async () => {
    const { nines, url, page, net, tab } = await visit(browser, {}, ['ada', 'eve'])
    await nines.app.db.write.updateTable('users').set({ upgraded_from: '0.0.9' }).where('name', '=', 'ada').execute()
    await page.goto(`${url}/settings/system`)
    await signIn(page, 'ada')
    const line = page.getByRole('note', { name: 'Upgrade' })
    await line.getByText(`nines was upgraded from 0.0.9 to ${version}.`).waitFor()
    await looksRight(page)
    await line.getByRole('link', { name: 'What is new' }).click()
    await page.getByText(`This is nines ${version}. Before the upgrade it was 0.0.9.`).waitFor()
    await page
      .getByRole('region', { name: `What is new in ${version}` })
      .getByRole('heading', { name: 'SLOs and budgets' })
      .waitFor()
    await looksRight(page)
    await line.getByRole('button', { name: 'Close the note on the upgrade' }).click()
    await line.waitFor({ state: 'detached' })
    const other = await tab()
    await other.goto(`${url}/settings/system`)
    await other.getByRole('region', { name: 'Instance' }).getByRole('link', { name: 'What is new' }).click()
    await other.getByText(`This is nines ${version}.`, { exact: true }).waitFor()
    expect(await other.getByRole('note', { name: 'Upgrade' }).count()).toBe(0)

    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const theirs = await watchContext(context, url)
    theirs.expected.add('GET /api/v1/organization/system/whats-new 403')
    const stranger = await context.newPage()
    await stranger.goto(`${url}/settings/system?whats-new`)
    await signIn(stranger, 'eve')
    await stranger.getByText('must be an administrator of the first organization').waitFor()
    await context.close()
    expect([net.problems, theirs.problems]).toEqual([[], []])
  })

  test('the organizations are listed with what they use, for administrators of the first', async () => {
    const { nines, url, page, net } = await visit(browser, {}, ['ada', 'eve'])
    await nines.call('POST', '/api/v1/slos', { ...checkout, force: true })
    await page.goto(`${url}/settings/system`)
    await signIn(page, 'ada')
    const organizations = page.getByRole('region', { name: 'Organizations' })
    await organizations.getByRole('row', { name: /^ada Inc .* 0 1 / }).waitFor()
    await organizations.getByRole('row', { name: /^eve Inc .* 0 0 / }).waitFor()
    await looksRight(page)
    expect(net.problems).toEqual([])
  })
})
