import { expect, test } from 'bun:test'
import { mayStart, nextStart } from '../../src/concurrency/cooperative.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Blocks longer than a turn of the event loop may, like one request for a hundred long rows. */
function busy(): void {
  const untilMs = performance.now() + 4
  while (performance.now() < untilMs);
}

async function request(group: string, begun: string[]): Promise<void> {
  if (!mayStart()) await nextStart(group)
  begun.push(group)
  busy()
}

test('requests that take little begin at once', async () => {
  await turn()
  await turn()
  expect([mayStart(), mayStart(), mayStart()]).toEqual([true, true, true])
})

test('of requests that take long one begins in a turn of the event loop, and groups take turns', async () => {
  await turn()
  await turn()
  const begun: string[] = []
  const all = Promise.all(['a', 'a', 'a', 'a', 'b'].map((group) => request(group, begun)))
  expect(begun).toEqual(['a'])
  await turn()
  expect(begun.length).toBeLessThanOrEqual(2)
  await all
  expect(begun).toEqual(['a', 'a', 'b', 'a', 'a'])
})

test('who comes while others wait begins after them', async () => {
  await turn()
  await turn()
  const begun: string[] = []
  const first = [request('a', begun), request('a', begun)]
  expect(mayStart()).toBe(false)
  await Promise.all([...first, request('a', begun)])
  expect(begun).toHaveLength(3)
})
