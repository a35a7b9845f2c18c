import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type TestApp, testApp } from '../support/app.ts'

let nines: TestApp
let port: number
beforeAll(async () => {
  nines = await testApp()
  port = Number(new URL(nines.listen()).port)
})
afterAll(() => nines.close())

/** Status and parts of the response to a malformed request. */
async function talk(lines: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  const socket = connect(port, '127.0.0.1', () => socket.write([...lines, 'Connection: close', '', ''].join('\r\n')))
  socket.on('data', (chunk) => {
    said += chunk.toString()
  })
  socket.on('close', () => resolve(said))
  socket.on('error', reject)
  const [head = '', body = ''] = (await promise).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) }
}

test.each(['[bad', '%', 'a:b:c', 'x:99999'])(
  'the broken host "%s" is refused, before anything else is read',
  async (host) => {
    const { status, head, body } = await talk(['GET /nope HTTP/1.1', `Host: ${host}`])
    const details = 'Host: must be a host name or address'
    expect([status, body]).toEqual([
      400,
      { success: false, error: 'Invalid request', details, problems: expect.any(Array) },
    ])
    expect(head).toContain('X-Frame-Options: DENY')
  },
)

test.each(['', 'a b', 'a/b', '@', 'a?b'])(
  'the host "%s" finds an unknown path unknown, and a known one',
  async (host) => {
    const { status, body } = await talk(['GET /nope HTTP/1.1', `Host: ${host}`])
    expect([status, body]).toEqual([404, { success: false, error: 'Not found' }])
    expect((await talk(['GET /health HTTP/1.1', `Host: ${host}`])).status).toBe(200)
    expect((await talk(['PUT /health HTTP/1.1', `Host: ${host}`])).status).toBe(405)
  },
)

test('a broken host does not lead past the guard', async () => {
  for (const host of ['[bad', 'a b', '', '/', 'x/health?']) {
    expect((await talk(['GET /api/v1/slos HTTP/1.1', `Host: ${host}`])).status).toBe(401)
  }
})
