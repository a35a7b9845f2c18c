import { expect, test } from 'bun:test'
import { createReplies } from '../../../src/embedded/api/replies.ts'

const asked = (organizationId = 1, method = 'GET') => ({
  organizationId,
  request: new Request('http://localhost/', { method }),
  set: {},
})
const long = () => ['['.padEnd(100_000), ']'.padStart(100_000)]
const minute = 60_000

function bodyOf(answer: unknown): ReadableStream<Uint8Array> {
  if (answer instanceof Response && answer.body) return answer.body
  throw new Error('must be an answer with a body')
}

test('a few answers are read at once, and the next waits for the end of one', async () => {
  const reply = createReplies(minute)
  const held = await Promise.all([1, 1, 2, 2].map((organizationId) => reply(asked(organizationId), long)))
  const asks: string[] = []
  const waiting = [5, 6].map((n) =>
    reply(asked(), () => {
      asks.push(`${n}`)
      return long()
    }),
  )
  const [first, second] = held.map(bodyOf)
  expect(asks).toEqual([])
  await first?.cancel()
  expect(await new Response(bodyOf(await waiting[0])).json()).toEqual({ status: 'success', data: [] })
  await new Response(second).text()
  await waiting[1]
  expect(asks).toEqual(['5', '6'])
})

test('an organization that reads none of its answers leaves a place for another', async () => {
  const reply = createReplies(minute)
  const asks: string[] = []
  const ask = (organizationId: number) =>
    reply(asked(organizationId), () => {
      asks.push(`of ${organizationId}`)
      return long()
    })
  for (let times = 0; times < 5; times += 1) void ask(1)
  await ask(2)
  expect(asks).toEqual(['of 1', 'of 1', 'of 1', 'of 2'])
})

test('what is short, has no body or fails is over at once', async () => {
  const reply = createReplies(minute)
  const failing = () => {
    throw new Error('no')
  }
  for (let times = 0; times < 10; times += 1) {
    await reply(asked(), () => ['1'])
    await reply(asked(1, 'HEAD'), long)
    expect(reply(asked(), failing)).rejects.toThrow('no')
  }
})

test('a request that has waited too long gets a timeout', async () => {
  const reply = createReplies(5)
  const { promise: never } = Promise.withResolvers<string[]>()
  for (let times = 0; times < 4; times += 1) void reply(asked(), () => never)
  const late = asked()
  expect(await reply(late, long)).toEqual({ status: 'error', errorType: 'timeout', error: 'Query took too long' })
  expect(late.set).toEqual({ status: 503 })
})

test('an answer that is not read in time breaks off', async () => {
  const reply = createReplies(1)
  const reader = bodyOf(await reply(asked(), long)).getReader()
  expect(reader.closed).rejects.toThrow('The answer was not read in time')
  await reader.closed.catch(() => {})
  for (let times = 0; times < 10; times += 1) await reply(asked(), long) // no reply keeps a slot forever
})
