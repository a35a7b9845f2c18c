import { afterEach, beforeEach, expect, test } from 'bun:test'
import { email } from '../../../src/notifications/channels/email/email.ts'
import { type MailServer, partsOf, startMailServer } from '../../support/mail-server.ts'
import { aMessage, channelDeps, someData } from '../../support/messages.ts'

let box: MailServer
beforeEach(async () => {
  box = await startMailServer()
})
afterEach(() => box.close())

const link = 'https://nines.example/slos/7'
const data = someData({
  slo_name: 'Win at https://evil.example/x \u202enow\u200b',
  description: 'ask\r\n  ceo@evil.example',
  labels: { team: 'www.evil.example\u2066' },
})
const text = `${data.slo_name}\n\n  ${data.description}\nand see ${link} at once`

async function partsSent(mustConfirm: boolean): Promise<string[]> {
  const { recipients, ...others } = channelDeps({ smtp: { url: box.url, from: 'nines@x.example' } })
  const deps = { ...others, recipients: { ...recipients, mustConfirm } }
  const message = aMessage({ text, slo: { id: 7, data, link } })
  await email.send(deps, { to: 'a@x.example' }, message, new AbortController().signal)
  const [mail] = box.mails
  return mail ? partsOf(mail).map(([, part]) => part) : []
}

test('where anybody may register, no part of a relayed mail has a link but that to nines', async () => {
  const [plain = '', page = ''] = await partsSent(true)
  expect(plain.replaceAll('\r', '')).toBe(
    `Win at https[:]//evil[.]example/x now\n\n  ask\n  ceo[at]evil[.]example\nand see ${link} at once`,
  )
  expect(page).not.toContain('evil.example')
  for (const part of ['ceo[at]evil[.]example', 'team=www[.]evil[.]example', `and see ${link} at once`])
    expect(page).toContain(part)
  expect(page).toContain(`<a href="${link}">Open Win at https[:]//evil[.]example/x now in nines</a>`)
})

test('elsewhere links stay, and nothing is left that cannot be seen', async () => {
  const parts = await partsSent(false)
  expect(parts).toHaveLength(2)
  for (const part of parts) {
    expect(part).toContain('https://evil.example/x now')
    expect(part).not.toMatch(/[\u202e\u200b\u2066]/)
  }
})
