import { afterEach, describe, expect, test } from 'bun:test'
import { addUser } from '../../support/accounts.ts'
import { headerOf, type ReceivedMail, startMailServer } from '../../support/mail-server.ts'
import { channels, recipientWorld, type RecipientWorld, tokenIn } from './recipient-world.ts'

const dayMs = 86_400_000

let world: RecipientWorld
afterEach(() => world.close())

const subjectOf = (mail: ReceivedMail | undefined) => mail && headerOf(mail, 'Subject')
const status = async (id?: number) =>
  Object.fromEntries(
    (await world.channelData(id)).recipients.map(({ address, status: one }: { address: string; status: string }) => [
      address,
      one,
    ]),
  )

describe('where anybody may register, a recipient who is no user of the organization', () => {
  test('gets one question and nothing else, until they say yes', async () => {
    world = await recipientWorld()
    const { body } = await world.channel({ to: 'eve@other.example' })
    expect(body.data.recipients).toEqual([{ address: 'eve@other.example', status: 'pending' }])
    expect(world.box.mails).toHaveLength(1)
    expect(subjectOf(world.to('eve@other.example')[0])).toBe('Do you want alerts of ada Inc by mail?')
    expect(await world.notify()).toMatchObject({
      status: 'pending',
      error_message: 'recipient eve@other.example has not confirmed yet',
    })
    expect(world.box.mails).toHaveLength(1)
    expect((await world.decide('eve@other.example')).status).toBe(200)
    expect(await status()).toEqual({ 'eve@other.example': 'confirmed' })
    world.nines.clock.advance(1000)
    await world.deliver()
    expect(world.box.mails.map((mail) => headerOf(mail, 'Subject'))).toEqual([
      'Do you want alerts of ada Inc by mail?',
      'Trouble',
    ])
  })

  test('does not keep those who have confirmed, and users, from their mails', async () => {
    world = await recipientWorld()
    await addUser(world.nines, 'bob', 'viewer')
    await world.channel({ to: 'ADA@example.com, eve@other.example, bob@example.com, mallory@other.example' })
    await world.decide('eve@other.example')
    expect(await world.notify()).toMatchObject({
      status: 'sent',
      error_message: 'recipient mallory@other.example has not confirmed yet',
    })
    expect(world.box.mails.slice(2).map(({ to }) => to)).toEqual([
      ['ADA@example.com', 'bob@example.com'],
      ['eve@other.example'],
    ])
  })

  test('is mailed a request once a day, three times in all, by whatever channel and however often it is saved', async () => {
    world = await recipientWorld()
    for (let times = 0; times < 3; times += 1) await world.channel({ to: 'Eve@Other.example' })
    await Promise.all([1, 2, 3].map((id) => world.nines.call('PUT', `${channels}/${id}`, { name: 'again' })))
    await world.notify()
    expect(world.box.mails).toHaveLength(1)
    for (let day = 0; day < 5; day += 1) {
      world.nines.clock.advance(dayMs)
      await world.notify(`day ${day}`)
    }
    expect(world.box.mails).toHaveLength(3)
    expect(new Set(world.box.mails.map(tokenIn)).size).toBe(1)
  })

  test('may say no, and is left alone by every channel of the organization', async () => {
    world = await recipientWorld()
    await world.channel({ to: 'eve@other.example' })
    await world.decide('eve@other.example', 'decline')
    await world.channel({ to: 'eve@other.example, ada@example.com' })
    expect(await status(2)).toEqual({ 'eve@other.example': 'declined', 'ada@example.com': 'confirmed' })
    expect(await world.notify()).toMatchObject({
      status: 'failed',
      error_message: 'recipient eve@other.example has declined',
    })
    expect(await world.notify('Trouble', 2)).toMatchObject({ status: 'sent' })
    world.nines.clock.advance(2 * dayMs)
    await world.notify('more', 2)
    expect(world.to('eve@other.example')).toHaveLength(1)
  })

  test('can end it from every mail, by its link or by the button of a mail program', async () => {
    world = await recipientWorld()
    await world.channel({ recipients: ['eve@other.example', 'dan@other.example'] })
    await world.decide('eve@other.example')
    await world.decide('dan@other.example')
    await world.notify()
    const [, mail] = world.to('eve@other.example')
    const link = `https://nines.example/at/notifications/confirm?token=${tokenIn(mail)}&decision=decline`
    expect(mail && headerOf(mail, 'List-Unsubscribe')).toBe(`<${link}>`)
    expect(mail && headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
    expect(mail?.text).toContain(link)
    const path = new URL(link).pathname.replace('/at', '') + new URL(link).search
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const oneClick = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
    expect((await world.nines.call('POST', path, oneClick, { token: null, headers })).status).toBe(200)
    await world.notify('more')
    expect([world.to('eve@other.example'), world.to('dan@other.example')].map(({ length }) => length)).toEqual([2, 3])
  })

  test('has to confirm for each organization', async () => {
    world = await recipientWorld()
    await world.channel({ to: 'eve@other.example' })
    await world.decide('eve@other.example')
    const token = await world.nines.join('mallory')
    const channel = { name: 'mail', channel_type: 'email', configuration: { to: 'eve@other.example, ada@example.com' } }
    const { body } = await world.nines.call('POST', channels, channel, { token })
    expect(body.data.recipients.map(({ status: one }: { status: string }) => one)).toEqual(['pending', 'pending'])
  })

  test('is mailed a request without links and invisible letters in the name of the organization', async () => {
    world = await recipientWorld()
    await world.nines.call('PUT', '/api/v1/organization', { name: 'Win at https://evil.example\u202e' })
    await world.channel({ to: 'eve@other.example' })
    const [mail] = world.box.mails
    expect(subjectOf(mail)).toBe('Do you want alerts of Win at https[:]//evil[.]example by mail?')
    expect(mail?.text).not.toContain('//evil.example')
  })

  test('gets no links in subjects', async () => {
    world = await recipientWorld()
    await world.channel({ to: 'ada@example.com' })
    await world.notify('Win at https://evil.example')
    expect(subjectOf(world.box.mails[0])).toBe('Win at https[:]//evil[.]example')
  })
})

describe('a channel', () => {
  test('with a mail server of its own asks nobody', async () => {
    world = await recipientWorld()
    const own = { smtp_server: `127.0.0.1:${world.box.port}`, smtp_username: 'nines', smtp_password: 'p@ss' }
    const { body } = await world.channel({ to: 'eve@other.example', from: 'slo@y.example', ...own })
    expect([body.data.recipients, body.data.from, body.data.warning]).toEqual([undefined, undefined, undefined])
    expect(await world.notify('api.example.com')).toMatchObject({ status: 'sent' })
    expect(world.box.mails).toMatchObject([{ from: 'slo@y.example', to: ['eve@other.example'] }])
    expect(subjectOf(world.box.mails[0])).toBe('api.example.com')
  })

  test('that names the server of nines as its own, without a user name, asks all the same', async () => {
    world = await recipientWorld()
    const { body } = await world.channel({ to: 'eve@other.example', smtp_server: `127.0.0.1:${world.box.port}` })
    expect(body.data.recipients).toEqual([{ address: 'eve@other.example', status: 'pending' }])
  })

  test.each(['localhost', '127.1', '[::ffff:127.0.0.1]', '127.0.0.2'])(
    'that names the server of nines as %s asks all the same',
    async (host) => {
      const box = await startMailServer({ encryption: 'none' })
      world = await recipientWorld({ SMTP_URL: `smtp://127.0.0.1:${box.port}` })
      const own = { smtp_server: `${host}:${box.port}`, smtp_security: 'none' }
      await world.channel({ to: 'eve@other.example', from: 'ceo@bank.example', ...own })
      const { error_message } = await world.notify()
      await box.close()
      expect(error_message).toBe('recipient eve@other.example has not confirmed yet')
      expect(box.mails.map(({ from, text }) => [from, text.includes('/notifications/confirm')])).toEqual([
        ['nines@x.example', true],
      ])
    },
  )

  test('whose user name the server does not check does not pass for one with a server of its own', async () => {
    const box = await startMailServer({ isOpen: true })
    world = await recipientWorld({ SMTP_URL: `smtp://127.0.0.1:${box.port}` })
    const own = { smtp_server: `127.0.0.1:${box.port}`, smtp_username: 'any', smtp_password: 'any' }
    await world.channel({ to: 'eve@other.example', from: 'ceo@bank.example', ...own })
    const { error_message } = await world.notify()
    await box.close()
    expect(error_message).toContain('the mail server refused the user name or password')
    expect(box.mails).toEqual([])
  })

  test.each([
    ['somebody else', 'ceo@bank.example', null, 'it is left out'],
    ['a user of the organization', 'ada@example.com', 'ada@example.com', 'answers go to it'],
  ])('whose sender is %s has a warning, and mails from MAIL_FROM', async (_, from, replyTo, warning) => {
    world = await recipientWorld()
    const { status: made, body } = await world.channel({ to: 'ada@example.com', from })
    expect(made).toBe(201)
    expect(body.data).toMatchObject({ configuration: { from }, from: 'nines@x.example', reply_to: replyTo })
    expect(body.data.warning).toContain(warning)
    await world.notify()
    const [mail] = world.box.mails
    expect(mail && [mail.from, headerOf(mail, 'From'), headerOf(mail, 'Reply-To')]).toEqual([
      'nines@x.example',
      'nines@x.example',
      replyTo ?? undefined,
    ])
  })

  test('asks nobody where only the invited register, and goes on when that is opened', async () => {
    world = await recipientWorld({ REGISTRATION: 'invite' })
    await world.channel({ to: 'eve@other.example' })
    expect(await status()).toEqual({ 'eve@other.example': 'confirmed' })
    expect(await world.notify('api.example.com')).toMatchObject({ status: 'sent' })
    expect(subjectOf(world.box.mails[0])).toBe('api.example.com')
    const rows = await world.nines.app.db.read.selectFrom('mail_recipients').selectAll().execute()
    expect(rows).toMatchObject([{ address_key: 'eve@other.example', status: 'confirmed' }])
  })
})
