import { afterEach, describe, expect, test } from 'bun:test'
import { recipientWorld, type RecipientWorld, tokenIn } from './recipient-world.ts'

let world: RecipientWorld
afterEach(() => world.close())

describe('the page of a link', () => {
  test('says for whom it is, and has a button for each answer', async () => {
    world = await recipientWorld()
    await world.nines.call('PUT', '/api/v1/organization', { name: 'Tom & <b>Jerry</b>' })
    await world.channel({ to: 'eve@other.example' })
    const token = tokenIn(world.box.mails[0])
    const page = await world.nines.call('GET', `/notifications/confirm?token=${token}`, undefined, { token: null })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).toContain('<bdi>Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;</bdi>')
    expect(page.text).toContain('eve@other.example')
    expect(page.text).not.toMatch(/<script|style=|<style/)
    expect(page.text.match(/action="[^"]*"/g)).toEqual([
      `action="confirm?token=${token}&amp;decision=confirm"`,
      `action="confirm?token=${token}&amp;decision=decline"`,
    ])
    expect((await world.channelData()).recipients).toMatchObject([{ status: 'pending' }])
  })

  test.each(['GET', 'POST'])('that nobody sent is unknown, by %s', async (method) => {
    world = await recipientWorld()
    const path = '/notifications/confirm?token=none&decision=confirm'
    const page = await world.nines.call(method, path, undefined, { token: null })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  })

  test.each([
    '',
    '?token=',
    '?token=%00',
    '?token=a&token=b',
    `?token=${'x'.repeat(5000)}`,
    '?token[]=1',
    '?decision=x',
    '?%',
    "?token='%20OR%201=1--&decision=confirm",
  ])('refuses %p, and nothing is confirmed by it', async (query) => {
    world = await recipientWorld()
    await world.channel({ to: 'eve@other.example' })
    for (const method of ['GET', 'POST']) {
      const answer = await world.nines.call(method, `/notifications/confirm${query}`, undefined, { token: null })
      expect([400, 404]).toContain(answer.status)
    }
    expect((await world.channelData()).recipients).toMatchObject([{ status: 'pending' }])
  })
})
