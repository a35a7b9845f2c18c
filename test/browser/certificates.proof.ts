import { afterEach, describe, expect, test } from 'bun:test'
import { expiringIn, probeOf, secureServer } from '../support/certificate-world.ts'
import { clientTls, strictServer } from '../support/client-certificates.ts'
import { closeAll } from '../support/closing.ts'
import { isWithoutBrowser, looksRight } from './browser.ts'
import { heading, problemAt } from './visit.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "certificates": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('certificates', () => {
  const world = pageWorld({ env: { SOURCE_URL: 'embedded' } })
  afterEach(closeAll)

  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      world.nines.clock.advance(1000)
      world.nines.app.collector.tick()
      await world.nines.app.collector.drain()
    }
    await world.nines.app.certificates.run()
  }
  const shots = process.env['CERTIFICATE_SHOTS']
  const shot = async (name: string) => {
    if (shots !== undefined) await world.page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })
  }

  test('a TCP check shows that of its form, whose key is kept', async () => {
    const { page, nines, url, net } = world
    const { good, stranger } = clientTls
    const field = (label: string) => page.getByLabel(label, { exact: true })
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.goto(`${url}/collect/probes?new=tcp`)
    await world.signIn()
    await heading(page, 'New check')
    await field('Host and port').fill(`localhost:${await strictServer()}`)
    await field('Name').fill('queue')
    await page.getByLabel('TLS handshake').check()
    await page.getByText('Certificates for TLS').click()
    await field('Authority').fill(good.ca)
    await field('Certificate of nines').fill(good.certificate)
    await field('Key of the certificate').fill(stranger.key)
    net.expected.add('POST /api/v1/embedded/probes 400')
    await save()
    await problemAt(page, 'Key of the certificate').waitFor()
    await looksRight(page)
    await field('Key of the certificate').fill(good.key)
    await save()
    await page.getByRole('listitem', { name: 'queue', exact: true }).waitFor()
    await pass(61)
    const [probe] = (await nines.call('GET', '/api/v1/embedded/probes')).body.probes
    expect([probe.health.status, probe.settings.auth.tls.key]).toEqual(['up', '********'])
    await page.goto(`${url}/collect/probes?edit=${probe.id}`)
    await page.getByText('Certificates for TLS').click()
    expect((await field('Certificate of nines').inputValue()).trim()).toBe(good.certificate.trim())
    expect(await field('Key of the certificate').inputValue()).toBe('********')
  })

  test('one that expires soon is said on Collect and in the alerts, until it is renewed', async () => {
    const { page, nines, url } = world
    const server = await secureServer(expiringIn(5.5))
    const expired = await secureServer(expiringIn(-2, ['old.example']))
    const settings = {}
    await nines.call('POST', '/api/v1/embedded/probes', probeOf(server.port))
    await nines.call('POST', '/api/v1/embedded/probes', { ...probeOf(expired.port, 'Old shop'), settings })
    await nines.call('POST', '/api/v1/tsdb/sources', { name: 'prod', api_url: `https://127.0.0.1:${server.port}` })
    await pass(61)
    await pass(1)
    await page.goto(`${url}/collect/probes`)
    await world.signIn()
    await heading(page, 'Checks')
    const notice = page.getByRole('region', { name: 'Certificates to renew' })
    await notice.getByText(/^The certificate of shop\.example expires in 5\sd 1[12]\sh, on .+\.$/).waitFor()
    await notice.getByText('Used by check Shop and source prod.').waitFor()
    await notice.getByText(/^The certificate of old\.example expired 2\sd( 0\sh)? ago, on .+\.$/).waitFor()
    const item = page.getByRole('listitem', { name: 'Shop', exact: true })
    const said = await item.getByText(/^The certificate of shop\.example expires in/).textContent()
    expect(await notice.locator('strong').allTextContents()).toContain(said ?? '')
    await item.getByText('For shop.example and www.shop.example, issued by shop.example.').waitFor()
    await looksRight(page)
    await shot('collect-1280')

    await page.goto(`${url}/incidents?view=alerts`)
    const firing = page.locator('.firing-alerts')
    await firing.getByText(/^the certificate of old\.example, used by the check Old shop, expired on /).waitFor()
    await looksRight(page)
    await shot('alerts-1280')
    await firing.getByRole('link', { name: 'Certificate' }).last().click()
    await page.getByText(/^The certificate of .+ on 2026-11-.+ UTC\./).waitFor()
    await looksRight(page)
    await shot('alert-1280')
    await page.getByRole('link', { name: 'See the certificates' }).click()
    await notice.waitFor()

    await nines.call('DELETE', '/api/v1/embedded/probes/2')
    await notice.getByText('old.example').waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 390, height: 844 }) // without buttons below the bar of sections
    await looksRight(page)
    await shot('collect-390')
    await server.renew(expiringIn(100.5))
    nines.clock.advance(3_600_000)
    await pass(61)
    await notice.waitFor({ state: 'detached' })
    await item.getByText(/^The certificate of shop\.example expires in 100\sd/).waitFor()
  })
})
