import { describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { writeBody, writeHeaders } from '../support/remote-write.ts'
import { isWithoutBrowser, looksRight, serious } from './browser.ts'
import { heading, signIn } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "senders": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('senders', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })

  test('a token is made, samples are sent with it, and what was refused is said', async () => {
    const { page, nines, net, url } = world
    await page.goto(`${url}/collect/senders`)
    await world.signIn()
    await heading(page, 'Senders')
    await page.getByText('Nobody has sent samples since nines started').waitFor()
    await looksRight(page)
    await page.getByRole('button', { name: 'Make a token for it', exact: true }).click()
    await page.getByText('The token is shown this once.').waitFor()
    const lines = await page.locator('.lines-to-copy pre').first().innerText()
    const [, address = '', token = ''] = /url: (\S+)[\s\S]*credentials: (\S+)/.exec(lines) ?? []
    const send = (atMs: number) =>
      fetch(address, {
        method: 'POST',
        body: writeBody(1, [{ labels: { __name__: 'up', job: 'edge' }, samples: [[atMs, 1]] }]),
        headers: { ...writeHeaders[1], authorization: `Bearer ${token}`, 'user-agent': 'Prometheus/3.5.0' },
      })
    expect((await send(nines.clock.now())).status).toBe(204)
    const row = page.getByRole('row', { name: /^sender/ })
    await row.getByText('Prometheus/3.5.0').waitFor()
    await row.locator('[data-label="Last refused"]').getByText('never').waitFor()
    expect((await send(nines.clock.now() + 3_600_000)).status).toBe(400)
    await row.getByText('more than 10 minutes in the future').waitFor()
    net.expected.add('POST /api/v1/write 401')
    await fetch(address, { method: 'POST', headers: { authorization: 'Bearer nonsense', 'user-agent': 'vmagent' } })
    await page.reload()
    const comesIn = page.locator('.ingestion')
    await comesIn.getByText(/^[\d.]+ samples\/s of 1 series, from 1 sender of remote write\./).click()
    await comesIn.getByText('2 senders were refused.').waitFor()
    await comesIn
      .getByText(/\(vmagent\), remote write: Its token is missing, unknown or has expired\. One request, /)
      .waitFor()
    await comesIn
      .getByRole('row', { name: /^Remote write/ })
      .getByText('more than 10 minutes in the future')
      .waitFor()
    await looksRight(page)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await serious(page)).toEqual([])
  })

  test('a viewer sees who sends, and makes no token', async () => {
    const { page, nines, url } = world
    await addUser(nines, 'vera', 'viewer')
    await page.goto(`${url}/collect/senders`)
    await signIn(page, 'vera')
    await heading(page, 'Senders')
    await page.getByRole('button', { name: 'Make a token for it', disabled: true }).waitFor()
  })
})
