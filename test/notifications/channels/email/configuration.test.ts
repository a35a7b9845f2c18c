import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../../src/errors.ts'
import type { ConfigurationInput } from '../../../../src/notifications/channels/channel.ts'
import { ownServerOf, readEmail, recipientsOf } from '../../../../src/notifications/channels/email/configuration.ts'
import { email } from '../../../../src/notifications/channels/email/email.ts'

const to = 'ops@x.example'

function refusal(given: ConfigurationInput): string {
  try {
    return `taken: ${JSON.stringify(readEmail(given))}`
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return `${error.details}`
  }
}

describe('recipients', () => {
  test.each([
    [{ to }, [to]],
    [{ to: ' a@x.example,b@x.example , ' }, ['a@x.example', 'b@x.example']],
    [{ recipients: ['a@x.example', ' b@x.example'] }, ['a@x.example', 'b@x.example']],
    [{ to, recipients: [] }, [to]],
    [{ to: '', recipients: [to] }, [to]],
    [{ to, recipients: [to, 'b@x.example'] }, [to, 'b@x.example']],
    [{ to: 'root@localhost' }, ['root@localhost']],
  ])('of %j are %p', (given, recipients) => {
    expect(recipientsOf(readEmail(given))).toEqual(recipients)
  })

  const many = Array.from({ length: 51 }, (_, index) => `a${index}@x.example`)

  test('may be fifty', () => {
    const [first, ...others] = many.slice(1)
    expect(recipientsOf(readEmail({ to: first, recipients: others }))).toHaveLength(50)
    expect(recipientsOf(readEmail({ to: many.slice(1).join(', ') }))).toHaveLength(50)
  })

  test('may not be more', () => {
    expect(refusal({ to: many.join(',') })).toStartWith('configuration.to: must have at most 50')
    expect(refusal({ recipients: many })).toStartWith('configuration.recipients: must have at most 50')
    expect(refusal({ to: many[0], recipients: many.slice(1) })).toStartWith(
      'configuration.recipients: must have at most',
    )
  })

  test.each([
    [{}, 'to'],
    [{ to: ' ', recipients: null }, 'to'],
    [{ to: ',' }, 'to'],
    [{ to: 'ops' }, 'to'],
    [{ to: ['a@x.example'] }, 'to'],
    [{ to: 'Ops <ops@x.example>' }, 'to'],
    [{ to: 'a@x.example\r\nRCPT TO:<evil@x.example>' }, 'to'],
    [{ to: `${'a'.repeat(65)}@x.example` }, 'to'],
    [{ recipients: 'a@x.example' }, 'recipients'],
    [{ recipients: ['a@x.example', 'b'] }, 'recipients'],
    [{ recipients: ['a@x.example', 7] }, 'recipients'],
    [{ to, from: 'nines' }, 'from'],
    [{ to, from: 'a@x.example, b@x.example' }, 'from'],
    [{ to, from: 'a@x.example\nBcc: evil@x.example' }, 'from'],
  ])('are refused: %j', (given, key) => {
    expect(refusal(given)).toStartWith(`configuration.${key}: must `)
  })
})

describe('the server', () => {
  const clear = { secure: false, requireTLS: true, ignoreTLS: false }
  const tls = { secure: true, requireTLS: false, ignoreTLS: false }
  const none = { secure: false, requireTLS: false, ignoreTLS: true }
  const auth = { user: 'nines', pass: 'p@ss' }
  const signedIn = { smtp_username: 'nines', smtp_password: 'p@ss' }

  test.each([
    [{ smtp_server: 'mail.example' }, { host: 'mail.example', port: 587, ...clear }],
    [{ smtp_server: 'Mail.Example:2525' }, { host: 'mail.example', port: 2525, ...clear }],
    [{ smtp_server: 'smtp://mail.example/' }, { host: 'mail.example', port: 587, ...clear }],
    [{ smtp_server: 'smtps://mail.example' }, { host: 'mail.example', port: 465, ...tls }],
    [
      { smtp_server: 'mail.example', smtp_security: 'tls' },
      { host: 'mail.example', port: 465, ...tls },
    ],
    [
      { smtp_server: 'mail.example', smtp_security: 'none' },
      { host: 'mail.example', port: 25, ...none },
    ],
    [
      { smtp_server: 'mail.example:587', smtp_security: 'tls' },
      { host: 'mail.example', port: 587, ...tls },
    ],
    [{ smtp_server: '[2001:db8::1]:25' }, { host: '2001:db8::1', port: 25, ...clear }],
    [
      { smtp_server: 'mail.example', ...signedIn },
      { host: 'mail.example', port: 587, ...clear, auth },
    ],
    [{ smtp_server: 'smtps://nines:p%40ss@mail.example' }, { host: 'mail.example', port: 465, ...tls, auth }],
    [{ smtp_server: 'nines:p%40ss@mail.example:25' }, { host: 'mail.example', port: 25, ...clear, auth }],
  ])('of %j', (given, server) => {
    expect(ownServerOf(readEmail({ to, ...given }))).toEqual(server)
  })

  test('is none of the channel’s own where no key names it', () => {
    expect(ownServerOf(readEmail({ to, smtp_server: '' }))).toBeNull()
  })

  test.each([
    ['smtps://nines:p%40ss@Mail.Example:2465', 'smtps://mail.example:2465'],
    ['nines:p%40ss@mail.example', 'mail.example'],
  ])('%s is kept as %s, its password apart and masked', (smtp_server, kept) => {
    const configuration = readEmail({ to, smtp_server })
    expect(configuration).toEqual({ to, smtp_server: kept, ...signedIn })
    expect(readEmail(configuration)).toEqual(configuration)
    expect(email.secrets).toEqual(['smtp_password'])
    expect(email.destinations).toEqual(['smtp_server'])
  })

  test('may have a password of any characters', () => {
    expect(readEmail({ to, smtp_server: 'mail.example', smtp_username: 'n', smtp_password: ' ä:/@ ' })).toMatchObject({
      smtp_password: ' ä:/@ ',
    })
  })

  const server = { smtp_server: 'mail.example' }

  test.each([
    [{ smtp_server: 'http://mail.example' }, 'smtp_server: must '],
    [{ smtp_server: 'smtp://' }, 'smtp_server: must '],
    [{ smtp_server: 'mail.example:0' }, 'smtp_server: must '],
    [{ smtp_server: 'mail.example:99999' }, 'smtp_server: must '],
    [{ smtp_server: 'mail.example/path' }, 'smtp_server: must '],
    [{ smtp_server: 'mail.example?x=1' }, 'smtp_server: must '],
    [{ smtp_server: 'mail example' }, 'smtp_server: must '],
    [{ smtp_server: '2001:db8::1' }, 'smtp_server: must '],
    [{ smtp_server: 'smtp://nines:hidden%@mail.example' }, 'smtp_server: must '],
    [{ smtp_server: 'smtp://nines:hidden@mail.example#x' }, 'smtp_server: must '],
    [{ smtp_server: 'smtp://nines:hidden%0A@mail.example' }, 'smtp_password: must '],
    [{ smtp_server: 'smtp://nines@mail.example' }, 'smtp_password: is required with '],
    [{ ...server, smtp_username: 'nines' }, 'smtp_password: is required with '],
    [{ ...server, smtp_password: 'hidden' }, 'smtp_username: is required with '],
    [{ ...server, smtp_username: 'nines', smtp_password: 'hid\rden' }, 'smtp_password: must '],
    [{ smtp_username: 'nines', smtp_password: 'hidden' }, 'smtp_server: is required with '],
    [{ smtp_security: 'tls' }, 'smtp_server: is required with '],
    [{ ...server, smtp_security: 'ssl' }, 'smtp_security: must '],
    [{ smtp_server: 'smtps://mail.example', smtp_security: 'none' }, 'smtp_security: must '],
    [{ ...server, smtp_username: 'nines', smtp_password: 'hidden', smtp_security: 'none' }, 'smtp_security: must '],
  ])('is refused, and its password not repeated: %j', (given, key) => {
    const said = refusal({ to, ...given })
    expect(said).toStartWith(`configuration.${key}`)
    expect(said).not.toContain('hidden')
  })
})
