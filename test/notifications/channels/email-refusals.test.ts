import { afterEach, describe, expect, jest, test } from 'bun:test'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import type { ChannelDeps, ConfigurationInput } from '../../../src/notifications/channels/channel.ts'
import { email } from '../../../src/notifications/channels/email/email.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { aMessage, channelDeps } from '../../support/messages.ts'
import { resolveTo } from '../../support/outbound-world.ts'
import { startRawMailServer } from '../../support/raw-mail-server.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  jest.useRealTimers()
  for (const close of open.splice(0)) await close()
})

async function mailServer(options?: Parameters<typeof startMailServer>[0]) {
  const server = await startMailServer(options)
  open.push(server.close)
  return server
}

async function rawServer(...given: Parameters<typeof startRawMailServer>) {
  const server = await startRawMailServer(...given)
  open.push(server.close)
  return server
}

type Sending = { configuration?: ConfigurationInput; signal?: AbortSignal } & Partial<ChannelDeps>

function send(smtp_server: string, sending: Sending = {}) {
  const { configuration = {}, signal = new AbortController().signal, ...overrides } = sending
  const deps = channelDeps({ smtp: { url: null, from: 'nines@x.example' }, ...overrides })
  return email.send(deps, { to: 'a@x.example', smtp_server, ...configuration }, aMessage(), signal)
}

const everybody = (code: number) => () => ({ code })

describe('a refusal', () => {
  test.each([
    ['greeting', 421, 'retry', 'the connection'],
    ['greeting', 554, 'failed', 'the connection'],
    ['auth', 454, 'retry', 'the user name or password'],
    ['auth', 535, 'failed', 'the user name or password'],
    ['sender', 451, 'retry', 'the sender'],
    ['sender', 550, 'failed', 'the sender'],
    ['recipient', 450, 'retry', 'every recipient'],
    ['recipient', 550, 'failed', 'every recipient'],
    ['data', 451, 'retry', 'the message'],
    ['data', 452, 'retry', 'the message'],
    ['data', 552, 'failed', 'the message'],
    ['data', 554, 'failed', 'the message'],
  ] as const)('of %s by %i: %s', async (stage, code, outcome, what) => {
    const server = await mailServer({ refuse: { [stage]: everybody(code) } })
    expect(await send(server.url)).toEqual({
      outcome,
      statusCode: code,
      error: `the mail server refused ${what}: ${code} refused`,
    })
    expect(server.mails).toEqual([])
  })

  test.each([
    [421, 'retry'],
    [502, 'failed'],
  ] as const)('of EHLO by %i: %s', async (code, outcome) => {
    const { port } = await rawServer('220 mail.example', () => `${code} no`)
    const error = `the mail server refused to begin: ${code} no`
    expect(await send(`127.0.0.1:${port}`)).toEqual({ outcome, statusCode: code, error })
  })

  test.each([
    [{}, /^the mail server refused STARTTLS: 500 .*\. For a server without TLS set smtp_security to none/],
    [{ smtp_username: 'nines', smtp_password: 'p@ss' }, /smtp_security is starttls: set it to tls/],
  ])('of STARTTLS: nothing is sent in the clear, and the setting is named (%p)', async (configuration, said) => {
    const server = await mailServer({ encryption: 'none' })
    const error = expect.stringMatching(said)
    expect(await send(`127.0.0.1:${server.port}`, { configuration })).toMatchObject({ outcome: 'failed', error })
    expect(server.mails).toEqual([])
  })

  test('of a mail in the clear comes after it was tried in the clear, where the channel says so', async () => {
    const server = await mailServer()
    // TLS would fail: the certificate does not have this name
    const outbound = createOutbound({ deny: [], ...resolveTo('127.0.0.1') })
    const configuration = { smtp_security: 'none' }
    const outcome = await send(`mail.example:${server.port}`, { outbound, configuration })
    expect(outcome).toMatchObject({ outcome: 'failed', statusCode: 530 })
  })

  test('of STARTTLS for now is tried again', async () => {
    const { port, heard } = await rawServer('220 mail.example', (line) =>
      line === 'STARTTLS' ? '454 not now' : '250-mail.example\r\n250 STARTTLS',
    )
    const configuration = { smtp_username: 'nines', smtp_password: 'p@ss' }
    const outcome = await send(`127.0.0.1:${port}`, { configuration })
    expect(outcome).toMatchObject({ outcome: 'retry', statusCode: 454 })
    expect(heard).toEqual([expect.stringMatching(/^EHLO /), 'STARTTLS'])
  })

  test('of some recipients: the others have the mail, and who has not is noted', async () => {
    const server = await mailServer({
      refuse: {
        recipient: (address) => {
          if (address.startsWith('full')) return { code: 452, text: 'mailbox full' }
          return address.startsWith('gone') ? { code: 550, text: 'no such user' } : undefined
        },
      },
    })
    const configuration = { to: 'full@x.example, here@x.example, gone@x.example' }
    expect(await send(server.url, { configuration })).toEqual({
      outcome: 'sent',
      statusCode: 250,
      note: 'refused: full@x.example (452 mailbox full), gone@x.example (550 no such user)',
    })
    expect(server.mails.map((mail) => mail.to)).toEqual([['here@x.example']])
  })

  test('of every recipient is tried again while one of them may be taken later', async () => {
    const recipient = (address: string) => ({ code: address.startsWith('full') ? 452 : 550 })
    const server = await mailServer({ refuse: { recipient } })
    const configuration = { to: 'full@x.example, gone@x.example' }
    expect(await send(server.url, { configuration })).toMatchObject({ outcome: 'retry', statusCode: 452 })
  })

  test('that repeats the credentials is returned without them', async () => {
    const repeated = `nope: p@ss, ${btoa('p@ss')}, ${btoa('\0nines\0p@ss')}\r\n${'x'.repeat(500)}`
    const refuse = { auth: () => ({ code: 535, text: repeated }) }
    const { url } = await mailServer({ refuse })
    const error = expect.stringMatching(/: 535 nope: \*{8}, \*{8}, \*{8} x+…$/)
    expect(await send(url)).toEqual({ outcome: 'failed', statusCode: 535, error })
    const byInstance = await email.send(
      channelDeps({ smtp: { url, from: 'nines@x.example' } }),
      { to: 'a@x.example' },
      aMessage(),
      new AbortController().signal,
    )
    expect(byInstance).toEqual({ outcome: 'failed', statusCode: 535, error })
  })
})

describe('a connection that does not come about is tried again:', () => {
  const retry = (error: string) => ({ outcome: 'retry' as const, statusCode: null, error })

  test('nobody listens', async () => {
    const server = await startMailServer()
    await server.close()
    expect(await send(server.url)).toEqual(retry('the mail server refused the connection'))
  })

  test.each(['starttls', 'tls'] as const)('%s with the certificate of another host', async (encryption) => {
    const server = await mailServer({ encryption })
    const outbound = createOutbound({ deny: [], ...resolveTo('127.0.0.1') })
    const outcome = await send(server.url.replace('127.0.0.1', 'mail.example'), { outbound })
    expect(outcome).toEqual(retry('the certificate of the mail server is for another host'))
    expect(server.mails).toEqual([])
  })

  test('TLS on a port that speaks none', async () => {
    const { port } = await rawServer('220 mail.example')
    expect(await send(`smtps://127.0.0.1:${port}`)).toEqual(
      retry(
        expect.stringMatching(
          /^TLS with the mail server failed \(ERR_SSL_\w+\)\. The port .* set smtp_security to starttls/,
        ),
      ),
    )
  })

  test('something else than a mail server', async () => {
    const { port } = await rawServer('SSH-2.0-OpenSSH_9.2')
    expect(await send(`127.0.0.1:${port}`)).toEqual(retry('what answered is no mail server'))
  })

  test('the server hangs up', async () => {
    const { port } = await rawServer('220 mail.example', (_line, socket) => {
      socket.destroy()
      return null
    })
    expect(await send(`127.0.0.1:${port}`)).toEqual(retry('the mail server closed the connection'))
  })

  test('its name is not known', async () => {
    const outbound = createOutbound({ deny: [], ...resolveTo() })
    expect(await send('mail.example', { outbound })).toEqual(retry('host name not found'))
  })
})

describe('a silent server', () => {
  test('is given up after ten seconds, for now', async () => {
    const { promise: requested, resolve } = Promise.withResolvers<void>()
    const { port, ended } = await rawServer('220 mail.example', () => {
      resolve()
      return null
    })
    jest.useFakeTimers()
    const sending = send(`127.0.0.1:${port}`)
    await requested
    jest.advanceTimersByTime(10_000)
    const error = 'the mail server did not answer in time'
    expect(await sending).toEqual({ outcome: 'retry', statusCode: null, error })
    jest.useRealTimers()
    await ended
  })

  test('is left as soon as the attempt is called off', async () => {
    const { port, connected, ended } = await rawServer(null)
    const calling = new AbortController()
    const sending = send(`127.0.0.1:${port}`, { signal: calling.signal })
    await connected
    calling.abort(new Error('called off'))
    await expect(sending).rejects.toThrow('called off')
    await ended
  })

  test('is not requested once the attempt is aborted', async () => {
    const { port, heard } = await rawServer('220 mail.example')
    const signal = AbortSignal.abort(new Error('called off'))
    await expect(send(`127.0.0.1:${port}`, { signal })).rejects.toThrow('called off')
    expect(heard).toEqual([])
  })
})

describe('a denied address', () => {
  test.each(['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'is not reached as %s',
    async (host) => {
      const { port, heard } = await rawServer('220 mail.example')
      const outbound = createOutbound({ deny: ['127.0.0.0/8'] })
      expect(await send(`${host}:${port}`, { outbound })).toEqual({
        outcome: 'failed',
        statusCode: null,
        error: expect.stringContaining('is denied (OUTBOUND_DENY)'),
      })
      expect(heard).toEqual([])
    },
  )

  test('is not reached through a name', async () => {
    const outbound = createOutbound({ deny: ['10.0.0.0/8'], ...resolveTo('127.0.0.1', '10.0.0.9') })
    expect(await send('mail.example', { outbound })).toEqual({
      outcome: 'failed',
      statusCode: null,
      error: 'the address of the host is denied (OUTBOUND_DENY)',
    })
  })
})
