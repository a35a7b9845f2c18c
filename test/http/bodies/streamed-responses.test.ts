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
