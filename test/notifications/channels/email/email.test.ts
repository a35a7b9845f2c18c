import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createOutbound } from '../../../../src/http/outbound/outbound.ts'
import type {
  ChannelDeps,
  ConfigurationInput,
  Message,
  Outcome,
} from '../../../../src/notifications/channels/channel.ts'
import { email } from '../../../../src/notifications/channels/email/email.ts'
import { mailCertificate } from '../../../support/mail-certificate.ts'
import { headerNames, headerOf, type MailServer, partsOf, startMailServer } from '../../../support/mail-server.ts'
import { aManualMessage, aMessage, aRecovery, aTestMessage, channelDeps, someData } from '../../../support/messages.ts'
import { resolveTo } from '../../../support/outbound-world.ts'

const never = new AbortController().signal
const sent: Outcome = { outcome: 'sent', statusCode: 250 }

let box: MailServer
beforeEach(async () => {
  box = await startMailServer()
})
afterEach(() => box.close())

const deps = (overrides: Partial<ChannelDeps> = {}) =>
  channelDeps({ smtp: { url: box.url, from: 'nines@x.example' }, ...overrides })

async function mailOf(message: Message = aMessage(), configuration: ConfigurationInput = { to: 'ops@x.example' }) {
  expect(await email.send(deps(), configuration, message, never)).toEqual(sent)
  const mail = box.mails.at(-1)
  if (!mail) throw new Error('no mail came')
  return mail
}

describe('the mail server', () => {
  test('is the instance’s where the channel names none', async () => {
    const mail = await mailOf()
    expect(mail).toMatchObject({ from: 'nines@x.example', to: ['ops@x.example'], user: 'nines', secure: true })
  })

  test('of the instance may have a denied address: the operator named it', async () => {
    const outbound = createOutbound({ deny: ['127.0.0.0/8'] })
    expect(await email.send(deps({ outbound }), { to: 'ops@x.example' }, aMessage(), never)).toEqual(sent)
  })

  test('is missing where neither names one, and no attempt would change that', async () => {
    const smtp = { url: null, from: 'nines@x.example' }
    expect(await email.send(deps({ smtp }), { to: 'ops@x.example' }, aMessage(), never)).toEqual({
      outcome: 'failed',
      statusCode: null,
      error: expect.stringContaining('SMTP_URL'),
    })
  })

  test('of the channel is spoken to over STARTTLS, with its user name and password', async () => {
    const own = { smtp_server: `127.0.0.1:${box.port}`, smtp_username: 'nines', smtp_password: 'p@ss' }
    const smtp = { url: null, from: 'nines@x.example' }
    expect(await email.send(deps({ smtp }), { to: 'a@x.example', ...own }, aMessage(), never)).toEqual(sent)
    expect(box.mails).toMatchObject([{ user: 'nines', secure: true }])
  })

  test.each(['starttls', 'tls'] as const)(
    'is known by its name, however it does %s, and reached at the address that was checked',
    async (encryption) => {
      const named = await startMailServer({ encryption, certificate: mailCertificate })
      const own = { smtp_server: named.url.replace('127.0.0.1', 'mail.example') }
      const outbound = createOutbound({ deny: [], ...resolveTo('127.0.0.1') })
      const outcome = await email.send(deps({ outbound }), { to: 'a@x.example', ...own }, aMessage(), never)
      await named.close()
      expect(outcome).toEqual(sent)
      expect(named.mails).toMatchObject([{ user: 'nines', secure: true }])
    },
  )

  test('may do without encryption where the channel says so', async () => {
    const plain = await startMailServer({ encryption: 'none' })
    const own = { smtp_server: `127.0.0.1:${plain.port}`, smtp_security: 'none' }
    const outcome = await email.send(deps(), { to: 'a@x.example', ...own }, aMessage(), never)
    await plain.close()
    expect(outcome).toEqual(sent)
    expect(plain.mails).toMatchObject([{ secure: false }])
  })

  test('is tried at its next address when the first cannot be connected to', async () => {
    const named = await startMailServer({ certificate: mailCertificate })
    const own = { smtp_server: named.url.replace('127.0.0.1', 'mail.example') }
    const outbound = createOutbound({ deny: [], ...resolveTo('127.9.9.9', '127.0.0.1') })
    const outcome = await email.send(deps({ outbound }), { to: 'a@x.example', ...own }, aMessage(), never)
    await named.close()
    expect(outcome).toEqual(sent)
  })
})

describe('the mail', () => {
  test('says where it comes from, that a machine wrote it, and when', async () => {
    const mail = await mailOf(aMessage(), {
      to: 'a@x.example, b@x.example',
      recipients: ['c@x.example', 'a@x.example'],
    })
    expect(mail.to).toEqual(['a@x.example', 'b@x.example', 'c@x.example'])
    expect(headerOf(mail, 'To')).toBe('a@x.example, b@x.example, c@x.example')
    expect(headerOf(mail, 'From')).toBe('nines@x.example')
    expect(headerOf(mail, 'Subject')).toBe(aMessage().subject)
    expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated')
    expect(headerOf(mail, 'X-Nines-Event')).toBe('alert')
    expect(headerOf(mail, 'Date')).toBe('Sun, 01 Mar 2026 12:00:00 +0000')
  })

  test('comes from the sender of a channel with a server of its own', async () => {
    const own = { smtp_server: `127.0.0.1:${box.port}`, smtp_username: 'nines', smtp_password: 'p@ss' }
    const mail = await mailOf(aMessage(), { to: 'a@x.example', from: 'slo@y.example', ...own })
    expect(mail.from).toBe('slo@y.example')
    expect(headerOf(mail, 'From')).toBe('slo@y.example')
    expect(headerOf(mail, 'Message-ID')).toEndWith('@y.example>')
  })

  test('comes from MAIL_FROM, whatever sender a channel without a server of its own names', async () => {
    const mail = await mailOf(aMessage(), { to: 'a@x.example', from: 'ceo@bank.example' })
    expect([mail.from, headerOf(mail, 'From')]).toEqual(['nines@x.example', 'nines@x.example'])
    expect(`${mail.header}${mail.body}`).not.toContain('ceo@bank.example')
  })

  test('is the same mail at every attempt, and another for another notification', async () => {
    const ids = [await mailOf(), await mailOf(), await mailOf(aRecovery())].map((mail) => headerOf(mail, 'Message-ID'))
    expect(ids[0]).toMatch(/^<[\da-f]{40}@x\.example>$/)
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
  })

  test('is in one thread with the recovery of its alert, and with nothing else', async () => {
    const mails = [await mailOf(), await mailOf(aRecovery()), await mailOf(aManualMessage())]
    const [alert, recovery, other] = mails.map((mail) => headerOf(mail, 'References'))
    expect(alert).toMatch(/^<[\da-f]{40}@x\.example>$/)
    expect(recovery).toBe(alert)
    expect(other).not.toBe(alert)
    expect(mails.map((mail) => headerOf(mail, 'In-Reply-To'))).toEqual([alert, recovery, other])
  })

  test('has its text first, then a page with the data of the SLO', async () => {
    const [plain, page, ...others] = partsOf(await mailOf())
    expect(others).toEqual([])
    expect(plain).toEqual(['text/plain', `${aMessage().text}\n\nhttps://nines.example/slos/7`.replaceAll('\n', '\r\n')])
    expect(page?.[0]).toBe('text/html')
    expect(page?.[1]).toContain('<a href="https://nines.example/slos/7">Open Checkout availability in nines</a>')
    expect(tableIn(page?.[1])).toEqual({
      SLO: 'Checkout availability',
      Description: 'Orders that were taken',
      Status: 'critical',
      SLI: '99.87 %',
      Target: '99.9 % over 30 d',
      'Error budget remaining': '-30 %',
      Severity: 'page',
      'Burn rate over 1 h': '16.2',
      'Burn rate over 5 min': '20.5',
      'Burn rate of the alert': '14.4',
      'Began at': '2026-03-01 11:58 UTC',
      Labels: 'team=shop, tier=1',
      'Measured at': '2026-03-01 12:00 UTC',
    })
  })

  test('has times in the zone of the organization, with UTC once', async () => {
    const zone = { timeZone: 'Europe/Zurich', clock: '24h' } as const
    const ended = aRecovery({ zone })
    expect(tableIn(partsOf(await mailOf(ended))[1]?.[1])).toMatchObject({
      'Began at': '2026-03-01 12:58 (11:58 UTC)',
      'Ended at': '2026-03-01 13:00',
      'Measured at': '2026-03-01 13:00',
    })
  })

  test('fetches nothing, and leaves light and dark to who reads it', async () => {
    const page = partsOf(await mailOf())[1]?.[1]
    expect(page).toContain('<meta name="color-scheme" content="light dark">')
    expect(page).not.toMatch(/<(?:img|script|link|iframe)|url\(|src=|[^-]color:|background/i)
  })

  test('leaves out of the data what is not known', async () => {
    expect(tableIn(partsOf(await mailOf(aManualMessage()))[1]?.[1])).toEqual({
      SLO: 'Checkout availability',
      Description: 'Orders that were taken',
      Status: 'unknown',
      SLI: 'no data',
      Target: '99.9 % over 30 d',
      Labels: 'team=shop, tier=1',
    })
  })

  test('of a test has neither data nor link', async () => {
    const [plain, page] = partsOf(await mailOf(aTestMessage()))
    expect(plain?.[1]).toBe('It works.')
    expect(page?.[1]).not.toMatch(/<table|<a /)
  })

  test('does not say twice where to look', async () => {
    const text = 'It broke.\n\nhttps://nines.example/slos/7'
    expect(partsOf(await mailOf(aMessage({ text })))[0]?.[1]).toBe(text.replaceAll('\n', '\r\n'))
  })
})

describe('texts from elsewhere', () => {
  test('arrive as they are, whatever their letters', async () => {
    const text = 'Größe der Übersicht 可用性 🎉 \u{1f469}\u{200d}\u{1f4bb}'
    const mail = await mailOf(aMessage({ subject: text, text }))
    expect(mail.header).toMatch(/^[\x20-\x7e\r\n]*$/)
    expect(headerOf(mail, 'Subject')).toBe(text)
    expect(partsOf(mail)[0]?.[1]).toStartWith(text)
    expect(partsOf(mail)[1]?.[1]).toContain(`<p>${text}</p>`)
  })

  test('that are too long are cut where one can see it, and no line of a header is too long', async () => {
    const mail = await mailOf(aMessage({ subject: 'ä very long subject '.repeat(60), text: 'x'.repeat(5000) }))
    expect(headerOf(mail, 'Subject')).toHaveLength(250)
    expect(headerOf(mail, 'Subject')).toEndWith('…')
    expect(Math.max(...`${mail.header}\r\n${mail.body}`.split('\r\n').map((line) => line.length))).toBeLessThan(998)
    expect(partsOf(mail)[0]?.[1]).toStartWith('x'.repeat(5000))
  })

  test.each([
    'Forged\r\nBcc: all@example.com\r\n\r\nForged body',
    'Forged\nBcc: all@example.com',
    'Forged\u2028Bcc: all@example.com\u0000',
    '=?utf-8?Q?=0D=0ABcc:=20all@example.com?=',
    'Nice <evil@example.com>, "quoted"',
  ])('make no header and no recipient: %p', async (text) => {
    const slo = {
      id: 7,
      data: someData({ slo_name: text, labels: { team: text } }),
      link: 'https://nines.example/slos/7',
    }
    const mail = await mailOf(aMessage({ subject: text, text, slo, threadKey: text, idempotencyKey: text }))
    expect(mail.to).toEqual(['ops@x.example'])
    expect(headerNames(mail).toSorted()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'in-reply-to',
      'message-id',
      'mime-version',
      'references',
      'subject',
      'to',
      'x-nines-event',
    ])
  })

  test('make no HTML', async () => {
    const text = `<img src=x onerror="alert(1)">&amp;'</td>`
    const safe = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;amp;&#39;&lt;/td&gt;'
    const data = someData({ slo_name: text, description: text, labels: { team: text } })
    const slo = { id: 7, data, link: `https://nines.example/"><b>` }
    const page = partsOf(await mailOf(aMessage({ subject: text, text, slo })))[1]?.[1] ?? ''
    expect(page).not.toMatch(/<img|<b>/)
    expect(tableIn(page)).toMatchObject({ SLO: safe, Description: safe, Labels: `team=${safe}` })
    expect(page).toContain(`<title>${safe}</title>`)
    expect(page).toContain(`<p>${safe}</p>`)
    expect(page).toContain(`<a href="https://nines.example/&quot;&gt;&lt;b&gt;">Open ${safe} in nines</a>`)
  })
})

/** Rows of the table in an HTML text. */
function tableIn(page = ''): Record<string, string> {
  const rows = page.matchAll(/<tr><th[^>]*>(.*?)<\/th><td[^>]*>(.*?)<\/td><\/tr>/gs)
  return Object.fromEntries([...rows].map(([, name = '', value = '']) => [name, value]))
}
