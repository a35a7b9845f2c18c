import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { addUser } from '../support/accounts.ts'
import type { Pinger } from '../../src/embedded/probing/pinger.ts'
import { closeAll } from '../support/closing.ts'
import { makeCertificate } from '../support/make-certificate.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { tlsServer } from '../support/tls-server.ts'
import { isWithoutBrowser, layoutShifts, looksRight } from './browser.ts'
import { heading, problemAt, signIn, signOut } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "what is collected": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('what is collected', () => {
  let whyNoPing: string | null
  const pinger: Pinger = { whyNot: async () => whyNoPing, ping: async () => ({ rttSeconds: 0.0125, hopLimit: 57 }) }
  const world = pageWorld({ pinger, env: { SOURCE_URL: 'embedded', BODY_LIMIT: '65536' } })
  let site: Receiver
  let state: string
  beforeEach(async () => {
    state = 'DOWN'
    whyNoPing = null
    site = startReceiver(({ path }) => {
      if (path === '/health') return Response.json({ status: state, queue: [] })
      if (path === '/broken') return new Response('jobs 1\n<html>')
      if (path === '/metrics') return new Response('# TYPE jobs_total counter\njobs_total{queue="mail"} 7\n')
      return new Response('welcome', { status: path === '/down' ? 503 : 200 })
    })
  })
  afterEach(() => site.close())
  afterEach(closeAll)

  const open = async (view: string, title: string) => {
    await world.page.goto(`${world.url}/collect/${view}`)
    await world.signIn()
    await heading(world.page, title)
  }
  const button = (name: string) => world.page.getByRole('button', { name, exact: true })
  const field = (label: string) => world.page.getByLabel(label, { exact: true })
  const item = (name: string) => world.page.getByRole('listitem', { name, exact: true })
  const stored = async (path: string, of: string) => (await world.nines.call('GET', `/api/v1/${path}`)).body[of]
  const choose = async (name: string, choice: string) => {
    await world.page.getByRole('button', { name: `More of ${name}` }).click()
    await item(name).getByRole('menuitem', { name: choice }).click()
  }
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      world.nines.clock.advance(1000)
      world.nines.app.collector.tick()
      await world.nines.app.collector.drain()
    }
  }

  test('a scrape target is tried, mended and saved; it is scraped, paused, deleted and brought back', async () => {
    const { page, net } = world
    net.expected.add('POST /api/v1/embedded/targets/test 400')
    await open('targets', 'Metrics endpoints')
    await page.getByRole('link', { name: 'New metrics endpoint' }).click()
    await heading(page, 'New metrics endpoint')
    await field('URL of the metrics').fill(`${site.url}/broken`)
    await field('Name').fill('shop')
    await field('Interval, in seconds').fill('2')
    await button('Try now').click()
    await problemAt(page, 'Interval, in seconds').getByText('must be a whole number from 5 to 3600').waitFor()
    expect(await page.locator('.problem').count()).toBe(1)
    await page.locator('[aria-invalid]:focus').waitFor()
    await field('Interval, in seconds').fill('5')
    await problemAt(page, 'Interval, in seconds').waitFor({ state: 'detached' })
    await field('Timeout, in seconds').fill('5')
    await field('Labels').fill('rack=b')
    await button('Try now').click()
    await page.getByText('Invalid exposition: line 2: expected a metric name.').waitFor()
    await looksRight(page)
    await field('URL of the metrics').fill(`${site.url}/metrics`)
    await button('Try now').click()
    await page.getByText('1 sample of 1 metric. Nothing of it was stored.').waitFor()
    await page.locator('.families').getByText('jobs_total').waitFor()
    expect(await stored('embedded/targets', 'targets')).toHaveLength(1) // nines itself
    await button('Save').click()
    await heading(page, 'Metrics endpoints')
    await item('shop').getByText('Not run yet').waitFor()
    await pass(12)
    await page.reload()
    await item('shop').getByText('Up', { exact: true }).waitFor()
    await item('shop')
      .getByRole('img', { name: /^2 of the last 2 runs succeeded/ })
      .waitFor()
    await item('shop').getByRole('button', { name: 'Try now' }).click()
    await item('shop').getByText('1 sample of 1 metric. Nothing of it was stored.').waitFor()
    await looksRight(page)

    await choose('shop', 'Pause')
    await item('shop').getByText('Paused', { exact: true }).waitFor()
    await choose('shop', 'Delete')
    await item('shop').waitFor({ state: 'detached' })
    await button('Undo').click()
    await item('shop').waitFor()
    expect((await stored('embedded/targets', 'targets'))[1]).toMatchObject({ labels: { rack: 'b' }, is_active: false })
    expect((await layoutShifts(page)).filter((shift) => Number.parseFloat(shift) > 0.001)).toEqual([])
  })

  test('a server that asks for a client certificate is scraped with the one of the form, whose key is not shown again', async () => {
    const { page, net } = world
    net.expected.add('POST /api/v1/embedded/targets/test 400')
    const validity = { fromMs: Date.parse('2020-01-01'), untilMs: Date.parse('2120-01-01') }
    const house = makeCertificate({ names: ['House CA'], ...validity })
    const [server, own] = ['localhost', 'nines'].map((name) => {
      return makeCertificate({ names: [name], ...validity, issuer: house })
    })
    const text = 'jobs_total 7\n'
    const port = await tlsServer({
      key: server?.key,
      cert: server?.cert,
      ca: house.cert,
      requestCert: true,
      rejectUnauthorized: true,
      answer: `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`,
    })
    await open('targets?new', 'New metrics endpoint')
    await field('URL of the metrics').fill(`https://localhost:${port}/metrics`)
    await field('Name').fill('shop')
    await page.getByText('Certificates for HTTPS').click()
    await field('Authority').fill('the house')
    await button('Try now').click()
    await problemAt(page, 'Authority').getByText('must have at least one certificate in PEM').waitFor()
    await looksRight(page)
    await field('Authority').fill(house.cert)
    await field('Certificate of nines').fill(own?.cert ?? '')
    await field('Key of the certificate').fill(own?.key ?? '')
    await button('Try now').click()
    await page.getByText('1 sample of 1 metric. Nothing of it was stored.').waitFor()
    await button('Save').click()
    await item('shop').getByRole('link', { name: 'Edit' }).click()
    await page.getByText('Certificates for HTTPS').click()
    expect(await field('Key of the certificate').inputValue()).toBe('********')
    await button('Try now').click()
    await page.getByText('1 sample of 1 metric. Nothing of it was stored.').waitFor()
  })

  test('scrapes that fail for minutes are an alert that names the first of them and leads to them', async () => {
    const { page, nines, url } = world
    for (const name of ['node-1', 'node-2']) {
      const target = { name, url: 'http://127.0.0.1:9/metrics', interval_seconds: 60 }
      await nines.call('POST', '/api/v1/embedded/targets', target)
    }
    await pass(420)
    await nines.app.selfMonitoring.watch()
    await page.goto(`${url}/incidents?view=alerts`)
    await world.signIn()
    const text = '2 of 3 scrape targets and probes have failed again and again for five minutes: node-1, and 1 more'
    await page.locator('.firing-alerts').getByText(text).waitFor()
    await looksRight(page)
    await page.locator('.firing-alerts').getByRole('link', { name: 'nines' }).click()
    await page.getByText(`Something is wrong with nines itself: ${text}.`).waitFor()
    await looksRight(page)
    await page.getByRole('link', { name: 'See the metrics endpoints' }).click()
    await item('node-1').waitFor()
  })

  test('secrets are masked, stay where they are not typed again, and are asked about before they go', async () => {
    const { page } = world
    await open('targets?new', 'New metrics endpoint')
    await field('URL of the metrics').fill(`${site.url}/metrics`)
    await field('Name').fill('shop')
    await field('Authentication').selectOption('bearer')
    await field('Token').fill('s3cret')
    await button('Save').click()
    await item('shop').getByRole('link', { name: 'Edit' }).click()
    await heading(page, 'Edit a metrics endpoint')
    expect(await field('Token').inputValue()).toBe('********')
    await field('Name').fill('the shop')
    await button('Save').click()
    await item('the shop').getByRole('button', { name: 'Try now' }).click()
    await item('the shop').getByText('Nothing of it was stored').waitFor()
    expect(site.received.at(-1)?.headers.get('authorization')).toBe('Bearer s3cret')
    await choose('the shop', 'Delete')
    await page.getByRole('dialog', { name: 'Delete the shop?' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Checks', exact: true }).click()
    await page.getByRole('link', { name: 'Metrics endpoints' }).click()
    await choose('the shop', 'Delete')
    await page.getByRole('dialog', { name: 'Delete the shop?' }).waitFor()
    await page.goBack()
    await heading(page, 'Checks')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goForward()
    await item('the shop').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await choose('the shop', 'Delete')
    await page.getByRole('dialog', { name: 'Delete the shop?' }).getByRole('button', { name: 'Delete' }).click()
    await item('the shop').waitFor({ state: 'detached' })
  })

  test('a probe of each type is tried and saved, shows its phases, and becomes an SLO', async () => {
    const { page } = world
    await open('probes', 'Checks')
    await page.getByRole('link', { name: 'TCP' }).click()
    await heading(page, 'New check')
    await field('Host and port').fill('127.0.0.1:1')
    await button('Try now').click() // the name is missing, and the browser reports it
    await field('Name').fill('port')
    await button('Try now').click()
    await page.getByText('Connection refused.').waitFor()
    await field('Host and port').fill(new URL(site.url).host)
    await button('Try now').click()
    await page.getByText(/It succeeds/).waitFor()
    await button('Save').click()
    await item('port').waitFor()

    await page.getByRole('link', { name: 'New HTTP check' }).click()
    await field('URL').fill(`${site.url}/down`)
    await field('Name').fill('shop')
    await button('Try now').click()
    await page.getByText('HTTP 503, expected 2xx.').waitFor()
    await field('Expected statuses').fill('503')
    await page.getByText('Request, redirects and certificate').click()
    await field('Headers').fill('X-Key: k3y')
    await button('Try now').click()
    await page.getByText(/It succeeds/).waitFor()
    expect(site.received.at(-1)?.headers.get('x-key')).toBe('k3y')
    await looksRight(page)
    await button('Save').click()
    await item('shop').waitFor()
    await pass(31)
    await page.reload()
    await item('shop').getByText('Up', { exact: true }).waitFor()
    await item('shop').getByText('first byte').waitFor()
    await looksRight(page)
    await choose('shop', 'Make an SLO of it')
    await heading(page, 'shop answers')
    await page.goto(`${world.url}/collect/probes`)
    await choose('shop', 'Delete')
    const asked = page.getByRole('dialog', { name: 'Delete shop?' })
    await asked.getByText('One SLO reads it, of which nothing is known then: shop answers.').waitFor()
    await asked.getByRole('button', { name: 'Delete' }).click()
    await item('shop').waitFor({ state: 'detached' })
    expect(await stored('slos', 'slos')).toMatchObject([{ metric_query: 'probe_success{job="shop"}' }])
  })

  test('a check on the JSON of an answer, signed in, says which condition failed', async () => {
    const { page, net } = world
    net.expected.add('POST /api/v1/embedded/probes/test 400')
    await open('probes?new=http', 'New check')
    await field('URL').fill(`${site.url}/health`)
    await field('Name').fill('health')
    await page.getByText('Conditions on the answer').click()
    await field('JSON of the body').fill('$.status = UP')
    await button('Try now').click()
    await problemAt(page, 'JSON of the body').getByText('Must each be as $.status == "UP"').waitFor()
    await field('JSON of the body').fill('$.status == "UP"\n$.queue.length < 5')
    await field('Headers of the answer').fill('Content-Type: ^application/json')
    await field('Body does not contain').fill('Fatal (')
    await field('Response time below, in ms').fill('20000')
    await page.getByText('Credentials', { exact: true }).click()
    await field('Authentication').selectOption('bearer')
    await field('Token').fill('s3cret')
    await button('Try now').click()
    await page.getByText('The answer\'s $.status is "DOWN", not "UP".').waitFor()
    expect(site.received.at(-1)?.headers.get('authorization')).toBe('Bearer s3cret')
    await looksRight(page)
    await button('Save').click()
    await choose('health', 'Make an SLO of it')
    await heading(page, 'health answers')
    await pass(50)
    await page.goto(`${world.url}/collect/probes`)
    await item('health').getByText('The answer\'s $.status is "DOWN", not "UP".').waitFor()
    await looksRight(page)
    await item('health').getByRole('link', { name: 'Edit' }).click()
    await page.getByText('Credentials', { exact: true }).click()
    expect(await field('Token').inputValue()).toBe('********')
    state = 'UP'
    await button('Try now').click()
    await page.getByText(/It succeeds/).waitFor()
    expect(site.received.at(-1)?.headers.get('authorization')).toBe('Bearer s3cret')
  })

  test('a ping is refused with what to do where the machine does not allow it; else it shows its round trip', async () => {
    const { page, net } = world
    net.expected.add('POST /api/v1/embedded/probes 400')
    await open('probes', 'Checks')
    await page.getByRole('link', { name: 'Ping', exact: true }).click()
    await heading(page, 'New check')
    await field('Host or address').fill('127.0.0.1')
    await field('Name').fill('router')
    whyNoPing = 'there is no `ping` on this machine: install it'
    await button('Save').click()
    await problemAt(page, 'Type').getByText('there is no `ping` on this machine: install it').waitFor()
    await looksRight(page)
    whyNoPing = null
    await button('Try now').click()
    await page.getByText(/It succeeds/).waitFor()
    await button('Save').click()
    await item('router').getByText('ping 127.0.0.1').waitFor()
    await pass(31)
    await page.reload()
    await item('router').getByText('Up', { exact: true }).waitFor()
    await item('router').getByText('round trip').waitFor()
    await looksRight(page)
  })

  test('a source is tested before it is saved, and is not deleted while SLOs read it', async () => {
    const { page, nines, made } = world
    await made({ name: 'Checkout', source_id: 1, force: true })
    await open('sources', 'Sources')
    await page.getByRole('link', { name: 'New source' }).click()
    await field('Base URL').fill(site.url)
    await field('Name').fill('main')
    await button('Test').click()
    await page.getByText(/^No answer after/).waitFor()
    site.next(() => Response.json({ status: 'success', data: { resultType: 'vector', result: [] } }))
    await button('Test').click()
    await page.getByText(/^It answers PromQL/).waitFor()
    await looksRight(page)
    await button('Save').click()
    await item('main').getByText('Not asked yet').waitFor()
    await item('main').getByRole('button', { name: 'Test' }).click()
    await item('main')
      .getByText(/^No answer after/)
      .waitFor()
    await page.reload()
    await item('main')
      .getByText(/^No answer since/)
      .waitFor()
    await item('default').getByText('The default. 1 SLO reads it').click()
    await item('default').getByRole('link', { name: 'Checkout' }).waitFor()
    await looksRight(page)
    await choose('default', 'Delete')
    await page.getByText('default: not deleted. SLOs read it: Checkout.').waitFor()
    await choose('main', 'Make it the default')
    await item('main').getByText('The default. No SLO reads it.').waitFor()
    await choose('main', 'Delete')
    await item('main').waitFor({ state: 'detached' })
    await button('Undo').click()
    await item('main').waitFor()

    const vera = await addUser(nines, 'vera', 'viewer')
    expect((await nines.call('GET', '/api/v1/tsdb/sources', undefined, { token: vera })).status).toBe(200)
    await signOut(page, 'ada')
    await signIn(page, 'vera')
    await page.goto(`${world.url}/collect/sources`)
    await item('main').getByRole('button', { name: 'Test', disabled: true }).waitFor()
  })

  test('a file is imported in parts with progress, packed or not; a bad line is named by its number', async () => {
    const { page, nines, net } = world
    net.expected.add('POST /api/v1/embedded/import 400')
    await open('storage', 'Storage')
    await page.getByText('0 of at most 100,000').waitFor()
    const from = nines.clock.now() / 1000 - 60_000
    const lines = Array.from({ length: 20_000 }, (_, at) => `jobs{queue="q${at % 3}"} ${at} ${from + at}\n`)
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'text/plain',
      buffer: name.endsWith('.gz') ? gzipSync(text) : Buffer.from(text),
    })
    await field('File').setInputFiles(file('bad.om', [...lines.slice(0, 4000), 'oops\n# EOF\n'].join('')))
    await button('Import').click()
    await page.getByText(/line 4001: /).waitFor()
    await page.getByText('bad.om: stopped.').waitFor()
    await field('File').setInputFiles(file('past.om.gz', [...lines, '# EOF\n'].join('')))
    let parts = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/embedded/import')) parts += 1
    })
    await button('Import').click()
    await page.getByText('past.om.gz: imported.').waitFor()
    await page.getByText(/20,000 samples from/).waitFor()
    expect(parts).toBeGreaterThan(10) // each smaller than BODY_LIMIT
    await page.getByText('3 of at most 100,000').waitFor()
    const { body } = await nines.call('POST', '/api/v1/tsdb/query', {
      query: 'sum(count_over_time(jobs[1d]))',
    })
    expect(body.query_result.result[0].value[1]).toBe('20000')
    await looksRight(page)
  })

  test('an unknown view is not found', async () => {
    await open('sources', 'Sources')
    world.net.expected.add('GET /collect/nothing 404')
    await world.page.goto(`${world.url}/collect/nothing`)
    await heading(world.page, 'There is no such page')
  })
})
