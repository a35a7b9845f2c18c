import { describe, expect, test } from 'bun:test'
import { evaluated } from './evaluated.ts'
import { isWithoutBrowser, titled } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "a server that does not answer": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('a server that does not answer', () => {
  const world = pageWorld()
  const healthy = { own: 99.9, budgetUsed: 10, status: 'healthy' } as const
  const critical = { own: 97, budgetUsed: 300, status: 'critical' } as const

  const withOneSlo = async () => {
    const sloId = await world.made({ name: 'Search answers', target: 99, time_window: '24h' })
    await evaluated(world.nines, sloId, healthy)
    return sloId
  }
  const row = () => world.page.getByRole('row', { name: 'Search answers' })
  const bar = () => world.page.getByText(/^Not connected since \d\d:\d\d\. Figures are from then\.$/)

  test('a server that does not answer is said in a bar, the figures stay, and once it is there again the page reads them again', async () => {
    const { page, net, nines, url } = world
    const sloId = await withOneSlo()
    await page.goto(`${url}/`)
    await world.signIn()
    await row().getByText('On track').waitFor()
    await page.getByText('live,').waitFor()
    net.expected.add(/ERR_CONNECTION_REFUSED|ERR_SOCKET_NOT_CONNECTED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/)
    await nines.unlisten()
    await bar().waitFor()
    await row().getByText('On track').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await evaluated(nines, sloId, critical)
    nines.listen(Number(new URL(url).port))
    await row().getByText('Down').waitFor()
    await bar().waitFor({ state: 'detached' })
    await page.getByText('live,').waitFor()
    await evaluated(nines, sloId, healthy)
    nines.app.feed.evaluated([{ sloId, evaluatedAtMs: nines.clock.now() }])
    await row().getByText('On track').waitFor()
  })

  test.each([
    ['no connection', /ERR_FAILED/],
    ['a proxy without nines behind it', 'POST /api/v1/auth/refresh 502'],
    ['trouble of nines', 'POST /api/v1/auth/refresh 503'],
  ])('at the start is waited for, and never taken for the end of the session: %s', async (_, problem) => {
    const { page, net, url } = world
    await withOneSlo()
    await page.goto(`${url}/`)
    await world.signIn()
    await row().waitFor()
    net.expected.add(problem)
    await page.route('**/auth/refresh', (route) => {
      if (typeof problem !== 'string') return route.abort()
      return problem.endsWith('502')
        ? route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' })
        : route.fulfill({ status: 503, json: { error: 'The disk is full' } })
    })
    await page.reload()
    await page.getByRole('heading', { name: 'The server does not answer' }).waitFor()
    await page.getByText(/^Not connected since \d\d:\d\d\.$/).waitFor()
    await titled(page, 'The server does not answer · nines')
    expect(new URL(page.url()).pathname).toBe('/')
    await page.unroute('**/auth/refresh')
    await page.getByRole('button', { name: 'Try again' }).click()
    await row().waitFor()
    await titled(page, 'Overview · nines')
  })

  test.each([
    ['after another', true],
    ['as the first', false],
  ])('an SLO that is opened meanwhile, %s, says so, with a button to try again', async (_, isCodeLoaded) => {
    const { page, net, nines, url } = world
    const sloId = await withOneSlo()
    await page.goto(isCodeLoaded ? `${url}/slos/${await world.made({ name: 'Another' })}` : `${url}/`)
    await world.signIn()
    if (isCodeLoaded) {
      await page.getByRole('heading', { name: 'Another' }).waitFor()
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
    }
    await row().waitFor()
    net.expected.add(/ERR_|dynamically imported/)
    await nines.unlisten()
    await row().getByRole('link', { name: 'Search answers' }).click()
    await page.getByRole('heading', { level: 1, name: 'The server does not answer' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/slos/${sloId}`)
    nines.listen(Number(new URL(url).port))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Search answers' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/slos/${sloId}`)
  })

  test('a session that was ended elsewhere leads to the login page, which says so, and back', async () => {
    const { page, net, nines, url } = world
    const sloId = await withOneSlo()
    await page.goto(`${url}/slos/${sloId}`)
    await world.signIn()
    await page.getByRole('heading', { name: 'Search answers' }).waitFor()
    net.expected.add(/ 401$/).add(/WebSocket .* 401/)
    const { access_token: token } = (
      await nines.call('POST', '/api/v1/auth/login', { email: 'ada@example.com', password: 'correct horse' })
    ).body
    const change = { current_password: 'correct horse', new_password: 'correct horse' }
    expect((await nines.call('POST', '/api/v1/auth/change-password', change, { token })).status).toBe(200)
    await page.getByText('Your session has ended. Sign in again.').waitFor()
    await world.signIn()
    await page.getByRole('heading', { name: 'Search answers' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/slos/${sloId}`)
  })

  test('too many requests: the page says when it reads again, and does', async () => {
    const { page, net, url } = world
    await withOneSlo()
    await page.goto(`${url}/login`)
    net.expected.add('GET /api/v1/slos/overview 429')
    let refused = 0
    await page.route('**/slos/overview', (route) =>
      refused++ === 0
        ? route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: { error: 'Too many requests' } })
        : route.continue(),
    )
    await world.signIn()
    await page.getByText(/^Too many requests\. Figures are read again at \d\d:\d\d:\d\d\.$/).waitFor()
    await row().waitFor()
    await page.getByText('Too many requests').waitFor({ state: 'detached' })
    expect(refused).toBe(2)

    let renewals = 0
    net.expected.add('POST /api/v1/auth/refresh 429')
    await page.route('**/auth/refresh', (route) =>
      renewals++ === 0
        ? route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: { error: 'Too many requests' } })
        : route.continue(),
    )
    await page.reload()
    await page.getByText(/^Too many requests\. Figures are read again at \d\d:\d\d:\d\d\.$/).waitFor()
    await row().waitFor()
  })

  test('one reading without an answer is read again, and a new build of the page is offered', async () => {
    const { page, net, nines, url } = world
    const sloId = await withOneSlo()
    await page.goto(`${url}/`)
    await world.signIn()
    await page.getByText('live,').waitFor()
    net.expected.add('GET /api/v1/slos/overview net::ERR_FAILED')
    await page.route(`${url}/`, async (route) => {
      const document = await (await route.fetch()).text()
      await route.fulfill({ contentType: 'text/html', body: document.replaceAll(/main-\w+/g, 'main-another') })
    })
    await page.route('**/slos/overview', (route) => route.abort(), { times: 1 })
    await evaluated(nines, sloId, critical)
    nines.app.feed.evaluated([{ sloId, evaluatedAtMs: nines.clock.now() }])
    await row().getByText('Down').waitFor()
    await page.getByText('A new version of nines is here.').waitFor()
    await page.unroute(`${url}/`)
    await page.getByRole('button', { name: 'Reload' }).click()
    await row().waitFor()
    await page.getByText('A new version of nines is here.').waitFor({ state: 'detached' })
  })

  test('two tabs that refresh their session at once both keep it', async () => {
    const { page, context, url } = world
    await withOneSlo()
    await page.goto(`${url}/`)
    await world.signIn()
    await row().waitFor()
    const other = await context.newPage()
    await other.goto(`${url}/`)
    await other.getByRole('row', { name: 'Search answers' }).waitFor()
    for (let round = 0; round < 3; round++) {
      await Promise.all([page.reload(), other.reload()])
      await Promise.all([row().waitFor(), other.getByRole('row', { name: 'Search answers' }).waitFor()])
    }
  })
})
