import { expect, test } from 'bun:test'
import { createExternalReplies } from '../../../src/sources/browse/replies.ts'

const asked = (organizationId = 1) => ({ organizationId, request: new Request('http://localhost/'), set: {} })
const long = () => ['['.padEnd(100_000), ']'.padStart(100_000)]
const { promise: never } = Promise.withResolvers<string[]>()
const options = { timeoutMs: 60_000, maxPerOrganization: 2 }

const bodyOf = (answer: unknown): ReadableStream<Uint8Array> => {
  if (answer instanceof Response && answer.body) return answer.body
  throw new Error('must be an answer with a body')
}

test('sources that hang hold up those alone who ask them, however many they are', async () => {
  const reply = createExternalReplies(options)
  for (let organizationId = 10; organizationId < 60; organizationId += 1)
    for (let times = 0; times < 5; times += 1) void reply(asked(organizationId), () => never)
  const answer = await reply(asked(1), () => ['1'])
  expect(answer instanceof Response && (await answer.json())).toEqual({ status: 'success', data: 1 })
})

test('so do readers of long answers, and short ones pass', async () => {
  const reply = createExternalReplies(options)
  const held = await Promise.all([1, 1, 2, 2].map((organizationId) => reply(asked(organizationId), long)))
  expect(await reply(asked(3), () => ['1'])).toBeInstanceOf(Response)
  const waiting = reply(asked(3), long)
  let isRead = false
  void waiting.then(() => (isRead = true))
  await Bun.sleep(10)
  expect(isRead).toBe(false)
  await bodyOf(held[0]).cancel()
  expect(await new Response(bodyOf(await waiting)).json()).toEqual({ status: 'success', data: [] })
})

test('an organization has a few questions under way until their answers have been read', async () => {
  const reply = createExternalReplies(options)
  const asks: number[] = []
  const ask = (place: number) =>
    reply(asked(), () => {
      asks.push(place)
      return long()
    })
  const [first] = [await ask(1), await ask(2)]
  const third = ask(3)
  await Bun.sleep(10)
  expect(asks).toEqual([1, 2])
  await new Response(bodyOf(first)).text()
  await third
  expect(asks).toEqual([1, 2, 3])
})

test('a question that fails is over at once, and one that waits too long gets a timeout', async () => {
  const reply = createExternalReplies({ ...options, timeoutMs: 30 })
  const failing = () => Promise.reject(new Error('no'))
  for (let times = 0; times < 5; times += 1) expect(reply(asked(), failing)).rejects.toThrow('no')
  void reply(asked(), () => never)
  void reply(asked(), () => never)
  const late = asked()
  expect(await reply(late, long)).toEqual({ status: 'error', errorType: 'timeout', error: 'Query took too long' })
  expect(late.set).toEqual({ status: 503 })
})
