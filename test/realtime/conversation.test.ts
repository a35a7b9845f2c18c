import { expect, test } from 'bun:test'
import { createTokenBuckets } from '../../src/http/connections/token-buckets.ts'
import { createLog } from '../../src/log.ts'
import { createConversation } from '../../src/realtime/conversation.ts'

const log = createLog({ level: 'error', format: 'json', now: () => 0, write: () => {} })
const ping = '{"type": "ping"}'

/** Conversations with a budget each, the messages they get, and the clock. */
function world(limit = 60) {
  const clock = { nowMs: 0, now: () => clock.nowMs }
  const budget = createTokenBuckets({ limit, clock })
  const heard: string[] = []
  const join = (clientId: string) =>
    createConversation(
      { clock, log, budget },
      {
        clientId,
        isOpen: () => true,
        send: (text) => void heard.push(`${clientId} ${JSON.parse(text).type}`),
        close: (code, reason) => void heard.push(`${clientId} ${code} ${reason}`),
        subscribe: () => Promise.resolve(),
        unsubscribe: () => true,
      },
    )
  return { clock, heard, join }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const turns = async (many: number) => {
  for (let n = 0; n < many; n += 1) await turn()
}
const cutOff = 'a 1008 Too many messages'

test('a client may say so much a minute, whatever it is and however small; then it is cut off, once, and not answered', async () => {
  const { heard, join } = world()
  const [a, b] = [join('a'), join('b')]
  for (let n = 0; n < 20; n += 1) {
    a.receive('')
    a.receive(Buffer.from([1]))
    a.count()
  }
  await turns(20)
  expect(heard).toEqual(Array(40).fill('a error'))
  a.receive(ping)
  a.receive(ping)
  a.count()
  b.receive(ping)
  await turns(2)
  expect(heard.slice(40)).toEqual([cutOff, 'b pong'])
})

test.each([
  ['60 messages of a kilobyte each', 60, 1024, 60],
  ['30 of a byte more', 31, 1025, 30],
  ['one of 60 kilobytes', 2, 60 * 1024, 1],
])('a minute of 60 takes %s and no more', async (_, count, length, answered) => {
  const { heard, join } = world()
  const a = join('a')
  for (let n = 0; n < count; n += 1) {
    a.receive(Buffer.alloc(length))
    await turns(2)
  }
  a.count()
  expect(heard).toEqual([...Array(answered).fill('a error'), cutOff])
})

test('who says it evenly is always answered', async () => {
  const { clock, heard, join } = world()
  const a = join('a')
  for (let n = 0; n < 300; n += 1) {
    a.receive(ping)
    clock.nowMs += 1000
    await turn()
  }
  await turn()
  expect(heard).toEqual(Array(300).fill('a pong'))
})

test('what was said before one was cut off is left unanswered', async () => {
  const { heard, join } = world()
  const a = join('a')
  for (let n = 0; n < 61; n += 1) a.receive(ping)
  await turns(20)
  expect(heard).toEqual([cutOff])
})

test('others are heard between the messages of one who says many', async () => {
  const { heard, join } = world(2000)
  const [a, b] = [join('a'), join('b')]
  for (let n = 0; n < 1000; n += 1) a.receive(ping)
  b.receive(ping)
  await turns(2)
  expect(heard).toContain('b pong')
  expect(heard.length).toBeLessThan(100)
  await turns(200)
  expect(heard).toHaveLength(1001)
})
