import { afterEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { bodyBudgetBytes, createBodyBudget } from '../../../src/http/bodies/body-budget.ts'
import { testApp } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

afterEach(closeAll)

const mib = 1024 * 1024
const kib = 1024

/** Number of bodies of this size that an organization may hold at the same time. */
function fill(budget: ReturnType<typeof createBodyBudget>, organizationId: number, bytes: number) {
  const rooms = []
  for (;;) {
    const room = budget.open(organizationId)
    try {
      room.growTo(bytes)
    } catch {
      return rooms
    }
    rooms.push(room)
  }
}

describe('the room for bodies', () => {
  test.each([
    [128 * mib, mib, 16 * mib],
    [512 * mib, mib, 32 * mib],
    [64 * 1024 * mib, mib, 64 * mib],
    [512 * mib, 100 * mib, 400 * mib],
  ])('of %d bytes of memory, with bodies of %d at most, is %d', (usable, limit, bytes) => {
    expect(bodyBudgetBytes(usable, limit)).toBe(bytes)
  })

  test('takes one body of any size that is allowed', () => {
    const budget = createBodyBudget(bodyBudgetBytes(512 * mib, 100 * mib))
    expect(fill(budget, 1, 100 * mib)).toHaveLength(1)
  })

  test('of one organization is at most half, of which a quarter is for small bodies', () => {
    const budget = createBodyBudget(32 * mib)
    expect(fill(budget, 1, mib)).toHaveLength(12)
    expect(fill(budget, 1, 64 * kib)).toHaveLength(64)
  })

  test('is there for each organization that comes after others have taken all they can', () => {
    const budget = createBodyBudget(32 * mib)
    for (const [at, max] of [12, 7, 4].entries()) expect(fill(budget, at, mib).length).toBeGreaterThanOrEqual(max)
    expect(fill(budget, 99, mib).length).toBeGreaterThan(0)
  })

  test('is free again once a body is done with, whether it grew or not', () => {
    const budget = createBodyBudget(32 * mib)
    for (const room of fill(budget, 1, mib)) {
      room.growTo(10)
      room.release()
      room.release()
    }
    const [room] = fill(budget, 1, mib)
    expect(() => room?.growTo(2 * mib)).toThrow('Too many request bodies at once')
  })
})

/** Connection that sends this and then nothing, and the response. */
function silent(port: number, said: string): { socket: Socket; answer: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  const socket = connect(port, '127.0.0.1', () => socket.write(said))
  socket.on('data', (chunk) => (answer += chunk.toString()))
  socket.on('error', () => {})
  socket.on('close', () => resolve(answer))
  closeLater(() => void socket.destroy())
  return { socket, answer: promise }
}

describe('bodies that an account holds open', () => {
  const body = 'x'.repeat(990_000)
  const shapes = {
    'of an announced length': `Content-Length: 1000000\r\n\r\n${body}`,
    'announced, of which nothing comes': 'Content-Length: 1000000\r\n\r\n',
    'in chunks': `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
  }

  test.each(Object.entries(shapes))('%s are refused beyond the room there is, and nobody else is', async (_, sent) => {
    const nines = await testApp()
    closeLater(nines.close)
    const ada = await nines.join('ada')
    const bob = await nines.join('bob')
    const port = Number(new URL(nines.listen()).port)
    const head = `POST /api/v1/slos HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer `
    const held = Array.from({ length: 60 }, () => silent(port, `${head}${ada}\r\n${sent}`))
    const said = await Promise.race(held.map(({ answer }) => answer))
    expect(said).toStartWith('HTTP/1.1 503 ')
    expect(said.toLowerCase()).toContain('\r\nretry-after: 5\r\n')
    expect(said.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(said).toContain('"error":"Too many request bodies at once"')
    const slo = { target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
    for (const [name, token] of Object.entries({ ada, bob })) {
      const { status } = await nines.call('POST', '/api/v1/slos', { ...slo, name }, { token })
      expect([name, status]).toEqual([name, 201])
    }
    const large = { ...slo, name: 'large', description: ' '.repeat(500_000) }
    expect((await nines.call('POST', '/api/v1/slos', large, { token: bob })).status).toBeLessThan(500)
    for (const { socket } of held) socket.destroy()
    await Promise.all(held.map(({ answer }) => answer))
  })
})
