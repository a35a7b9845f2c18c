import { describe, expect, test } from 'bun:test'
import { closeLater } from '../support/closing.ts'
import { startNtfy } from '../support/receivers/ntfy.ts'
import { startSlack } from '../support/receivers/slack.ts'
import { isWithoutBrowser, looksRight, titled } from './browser.ts'
import { pageWorld } from './world.ts'

if (isWithoutBrowser) process.stderr.write('Skipped, "history": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the history and the templates of Notify', () => {
  const world = pageWorld({ env: { PORT: '0' } })
  const post = async (path: string, body: object) => (await world.nines.call('POST', `/api/v1/${path}`, body)).body

  /** A chat and a phone, each with a rule for the SLO. The chat refused one notification, the phone received one. */
  async function notified() {
    const chat = startSlack()
    const phone = startNtfy()
    closeLater(() => void chat.close())
    closeLater(() => void phone.close())
    const sloId = await world.made({ name: 'Checkout answers' })
    const channel = async (name: string, channel_type: string, configuration: object): Promise<number> =>
      (await post('notifications/channels', { name, channel_type, configuration })).data.id
    const chatId = await channel('Team chat', 'slack', { webhook_url: chat.webhookUrl })
    const phoneId = await channel('On call', 'ntfy', { server_url: phone.url, topic: 'alerts' })
    chat.refuse({ status: 404, body: 'channel_not_found', outcome: 'failed' })
    const manual = { slo_id: sloId, alert_type: 'manual', priority: 'high' }
    await post('notifications/rules', { ...manual, channel_id: chatId, subject: 'To the chat', message: 'One.' })
    await post('notifications/rules', { ...manual, channel_id: phoneId, subject: 'To the phone', message: 'Two.' })
    for (const channel_id of [chatId, phoneId]) {
      await post('notifications/rules', { slo_id: sloId, channel_id, alert_type: 'violation', notify: false })
    }
    await world.nines.app.delivery.run()
    await world.nines.app.delivery.drain()
    return { chat, phone, sloId, chatId }
  }
  const open = async (address: string, view: string) => {
    await world.page.goto(`${world.url}${address}`)
    await world.signIn()
    await titled(world.page, `${view} · nines`)
  }
  test('what failed is found, says why, and is sent again', async () => {
    const { chat } = await notified()
    const { page } = world
    await open('/notify/history', 'History')
    const table = page.getByRole('table', { name: 'Notifications' })
    await table.getByRole('button', { name: 'To the phone' }).waitFor()
    await page.getByText('1 of 2', { exact: true }).waitFor()
    const byType = page.getByRole('table', { name: 'By type of channel' })
    const cells = async (type: string) =>
      (await byType.getByRole('row', { name: type }).getByRole('cell').allInnerTexts()).slice(0, 4)
    expect([await cells('Slack'), await cells('ntfy')]).toEqual([
      ['0', '1', '0', '0'],
      ['1', '0', '0', '0'],
    ])

    await page.getByLabel('Status').selectOption('Failed')
    await table.getByRole('button', { name: 'To the phone' }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed')
    await page.getByLabel('Channel').selectOption('On call')
    await page.getByText('No notification is like this.').waitFor()
    await page.goBack()
    await table.getByRole('button', { name: 'To the chat' }).click()
    expect(new URL(page.url()).searchParams.has('open')).toBe(true)
    const attempts = page.getByRole('table', { name: 'Attempts' })
    await attempts.getByText('channel_not_found').waitFor()
    await looksRight(page)

    await page.getByRole('button', { name: 'Send all of the last 31 days again' }).waitFor()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('The notification is queued again.').waitFor()
    await world.nines.app.delivery.run()
    await world.nines.app.delivery.drain()
    expect(chat.shown.map(({ title }) => title)).toEqual(['To the chat'])
    await page.goto(`${world.url}/notify/history?status=delivered`)
    await table.getByRole('button', { name: 'To the chat' }).waitFor()
    await page.getByText('2 of 2', { exact: true }).waitFor()
  })

  test('all that failed is sent again at once, by keyboard', async () => {
    const { chat } = await notified()
    const { page } = world
    await open('/notify/history?status=failed&range=24h', 'History')
    const again = page.getByRole('button', { name: 'Send all again' })
    await again.focus()
    await page.keyboard.press('Enter')
    await page.getByText('1 notification is queued again.').waitFor()
    await world.nines.app.delivery.run()
    await world.nines.app.delivery.drain()
    expect(chat.shown.map(({ title }) => title)).toEqual(['To the chat'])
    // without a reload: waiting notifications are polled
    await page.getByText('No notification is like this.').waitFor()
  })

  test('a viewer sees everything and changes nothing', async () => {
    await notified()
    await world.nines.app.db.write.updateTable('users').set({ role: 'viewer' }).execute()
    const { page } = world
    await open('/notify/history?status=failed', 'History')
    const isOff = (name: string) => page.getByRole('button', { name }).getAttribute('aria-disabled')
    await page.getByRole('button', { name: 'To the chat' }).click()
    await page.getByRole('table', { name: 'Attempts' }).waitFor()
    expect([await isOff('Send again'), await isOff('Send all of the last 31 days again')]).toEqual(['true', 'true'])
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('region', { name: 'Preview' }).getByText('With sample data').waitFor()
    expect(await isOff('Save')).toBe('true')
  })

  test('texts are tried as they are written, saved for the rules that are chosen, and taken back', async () => {
    const { chatId } = await notified()
    const { page } = world
    const rules = async () => {
      const { body } = await world.nines.call('GET', '/api/v1/notifications/rules')
      return body.data.map((rule: { channel_id: number; subject: string | null }) => [
        rule.channel_id === chatId ? 'chat' : 'phone',
        rule.subject,
      ])
    }
    await open('/notify/templates?kind=violation', 'Templates')
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('With sample data').waitFor()
    await preview.getByText('Checkout answers at 99.82 % over the last 1 h, target 99.9 %').first().waitFor()

    const subject = page.getByLabel('Subject')
    await subject.fill('Look at ')
    await page.locator('summary', { hasText: 'Placeholders' }).click()
    await page.getByRole('button', { name: '{{slo_name}}' }).click()
    expect(await subject.inputValue()).toBe('Look at {{slo_name}}')
    await preview.getByText('Look at Checkout answers', { exact: true }).waitFor()
    await page.getByLabel('Message').fill('It is {{statsu}}.')
    await page.getByText('Unknown placeholder {{statsu}}').waitFor()
    await looksRight(page)

    await page.getByRole('checkbox', { name: 'On call' }).setChecked(false)
    await page.getByRole('checkbox', { name: 'Team chat' }).setChecked(true)
    await page.getByLabel('Message').fill('It is {{status}}.')
    await preview.getByText('It is critical.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Texts saved.').waitFor()
    expect(await rules()).toEqual(
      expect.arrayContaining([
        ['chat', 'Look at {{slo_name}}'],
        ['phone', null],
      ]),
    )

    await page.getByRole('button', { name: 'Default texts' }).click()
    await preview.getByText('Look at').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The default texts are in use again.').waitFor()
    expect(await rules()).toEqual(
      expect.arrayContaining([
        ['chat', null],
        ['phone', null],
      ]),
    )
  })

  test('texts are saved for all of the chosen rules, or for none', async () => {
    await notified()
    const { page, net } = world
    net.expected.add('PUT /api/v1/notifications/rules/settings net::ERR_FAILED')
    await open('/notify/templates?kind=violation', 'Templates')
    await page.getByRole('region', { name: 'Preview' }).getByText('With sample data').waitFor()
    for (const name of ['On call', 'Team chat']) await page.getByRole('checkbox', { name }).setChecked(true)
    await page.getByLabel('Subject').fill('Look')
    let saves = 0
    await page.route('**/notifications/rules{,/settings}', (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      saves += 1
      return saves > 1 ? route.continue() : route.abort()
    })
    const saved = async () => {
      const { body } = await world.nines.call('GET', '/api/v1/notifications/rules')
      return body.data.filter((rule: { subject: string | null }) => rule.subject === 'Look').length
    }
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Not saved\./).waitFor()
    expect(await saved()).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Texts saved.').waitFor()
    expect([await saved(), saves]).toEqual([2, 2])
  })
})
