import { expect, test } from 'bun:test'
import {
  type AsyncCooperativeTask,
  runSync,
  runCooperatively,
  awaitStep,
  type CooperativeTask,
} from '../../src/concurrency/cooperative.ts'

const turn = async () => new Promise<void>((resolve) => setImmediate(resolve))

function* counting(to: number, seen: (count: number) => void = () => {}): CooperativeTask<number> {
  for (let count = 1; count <= to; count += 1) {
    const until = performance.now() + 4 // longer than a turn, so that each step gets its own
    while (performance.now() < until);
    seen(count)
    yield
  }
  return to
}

test('work in turns gives what it gives at once', async () => {
  expect(runSync(counting(3))).toBe(3)
  expect(await runCooperatively('a', counting(3))).toBe(3)
})

test('everything else has its turn in between', async () => {
  let others = 0
  const timer = setInterval(() => (others += 1), 1)
  await runCooperatively('a', counting(10))
  clearInterval(timer)
  expect(others).toBeGreaterThan(5)
})

test('groups take turns, however many jobs one of them has', async () => {
  const order: string[] = []
  const job = (group: string) =>
    runCooperatively(
      group,
      counting(2, () => order.push(group)),
    )
  await Promise.all([job('a'), job('a'), job('a'), job('b')])
  expect(order.slice(0, 4)).toEqual(['a', 'b', 'a', 'b'])
})

test('what fails rejects, and the others go on', async () => {
  function* failing(): CooperativeTask<never> {
    yield
    throw new Error('no good')
  }
  const other = runCooperatively('a', counting(2))
  expect(runCooperatively('a', failing())).rejects.toThrow('no good')
  expect(await other).toBe(2)
})

test('work that is aborted ends at its next yield, and cleans up', async () => {
  const controller = new AbortController()
  let cleaned = false
  function* endless(): CooperativeTask<never> {
    try {
      for (;;) yield
    } finally {
      cleaned = true
    }
  }
  const work = runCooperatively('a', endless(), controller.signal)
  await turn()
  controller.abort(new Error('enough'))
  expect(work).rejects.toThrow('enough')
  await work.catch(() => {})
  expect(cleaned).toBe(true)
})

test('work that waits for a promise goes on with its result, and others have turns meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  function* waiting(): AsyncCooperativeTask<number> {
    const [first, second] = [yield* awaitStep(promise), yield* awaitStep(Promise.resolve(2))]
    return first + second
  }
  const work = runCooperatively('a', waiting())
  expect(await runCooperatively('a', counting(2))).toBe(2)
  resolve(1)
  expect(await work).toBe(3)
})

test('work that waits for a promise that rejects fails with its reason, unless it catches it', async () => {
  const failing = async (): Promise<never> => {
    throw new Error('no good')
  }
  function* catching(): AsyncCooperativeTask<string> {
    try {
      yield* awaitStep(failing())
      return 'went on'
    } catch (error) {
      return String(error)
    }
  }
  expect(await runCooperatively('a', catching())).toBe('Error: no good')
  function* failingSteps(): AsyncCooperativeTask<never> {
    return yield* awaitStep(failing())
  }
  await expect(runCooperatively('a', failingSteps())).rejects.toThrow('no good')
})

test('of work that waits after each piece, a turn of the event loop has one piece', async () => {
  const seen: number[] = []
  function* pieces(): AsyncCooperativeTask<void> {
    for (let piece = 0; piece < 4; piece += 1) {
      seen.push(piece)
      yield Promise.resolve()
    }
  }
  const work = runCooperatively('a', pieces())
  await turn()
  const afterOne = seen.length
  await work
  expect([afterOne <= 2, seen.length]).toEqual([true, 4])
})
