import { expect, test } from 'bun:test'
import { createStreamedResponses, objectWithList } from '../../../src/http/bodies/streamed-responses.ts'
import { countEventLoopIterations } from '../../support/event-loop-iterations.ts'

test.each([
  [{}, []],
  [{ total: 0 }, []],
  [{ total: 2, text: '"' }, [{ a: 1 }, 'b']],
] as const)('the pieces of an object are its JSON: %j with %j', (head, items) => {
  expect(JSON.parse([...objectWithList(head, 'list', items)].join(''))).toEqual({ ...head, list: [...items] })
})

test('an answer is made as it is read, however long it is', async () => {
  let made = 0
  function* items() {
    for (;;) yield `${(made += 1)}`.padEnd(10_000)
  }
  const answer = await createStreamedResponses()(1, objectWithList({}, 'list', items()))
  const reader = answer.body?.getReader()
  await reader?.read()
  expect(made).toBeLessThan(10)
  await reader?.cancel()
})

test('of the answers that are read at once, one is written in a turn of the event loop', async () => {
  const send = createStreamedResponses()
  const writtenIn: number[] = []
  using turns = countEventLoopIterations()
  function* items() {
    writtenIn.push(turns.count())
    yield '1'
  }
  const answers = await Promise.all(
    [1, 2, 3].map((organizationId) => send(organizationId, objectWithList({}, 'list', items()))),
  )
  await Promise.all(answers.map((answer) => answer.text()))
  expect(new Set(writtenIn).size).toBe(3)
})

test('an organization has four at once, and the next comes when one has been read', async () => {
  const send = createStreamedResponses()
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(1, ['[]'])))
  let isSent = false
  const next = send(1, ['[]']).then(() => (isSent = true))
  await send(2, ['[]'])
  expect(isSent).toBe(false)
  expect(await answers[0]?.text()).toBe('[]')
  expect(await next).toBe(true)
})

test.each([
  ['an organization that waits ends the slowest of its own', 4, 1, 1],
  ['an organization without one ends the slowest of all', 8, 1, 3],
])('%s answers once its reader has taken nothing for five seconds', async (_, count, first, last) => {
  let nowMs = 0
  const send = createStreamedResponses({ now: () => nowMs })
  const endless = function* () {
    for (;;) yield 'x'.repeat(70_000)
  }
  const answers = await Promise.all(
    Array.from({ length: count }, (_unused, at) => send(first + Math.floor(at / 4), endless())),
  )
  const readers = answers.map((answer) => answer.body?.getReader())
  const readAll = (some: typeof readers) => Promise.all(some.map((reader) => reader?.read()))
  await readAll(readers)
  nowMs = 4000
  await readAll(readers.slice(1)) // all but the first read on
  nowMs = 5000
  await send(last, ['[]'])
  await expect(readers[0]?.read()).rejects.toThrow('The answer was not read in time')
  expect((await readAll(readers.slice(1))).every((chunk) => chunk?.done === false)).toBe(true)
  await Promise.all(readers.slice(1).map((reader) => reader?.cancel()))
})

test('a reader that takes a chunk every two seconds is slow too', async () => {
  let nowMs = 0
  const send = createStreamedResponses({ now: () => nowMs })
  const endless = function* () {
    for (;;) yield 'x'.repeat(70_000)
  }
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(1, endless())))
  const readers = answers.map((answer) => answer.body?.getReader())
  for (; nowMs < 8000; nowMs += 2000) await readers[0]?.read()
  for (const reader of readers.slice(1)) for (let chunk = 0; chunk < 4; chunk += 1) await reader?.read()
  await send(1, ['[]'])
  await expect(readers[0]?.read()).rejects.toThrow('The answer was not read in time')
  await Promise.all(readers.slice(1).map((reader) => reader?.cancel()))
})
