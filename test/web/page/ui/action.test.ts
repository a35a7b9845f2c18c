import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type * as Action from '../../../../src/web/page/ui/action.ts'
import type * as Toast from '../../../../src/web/page/ui/toast.ts'
import { fakeBrowser } from '../api/fake-browser.ts'

let browser: ReturnType<typeof fakeBrowser>
let ui: typeof Action & typeof Toast // loaded once the browser globals exist

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  ui = {
    ...(await import('../../../../src/web/page/ui/action.ts')),
    ...(await import('../../../../src/web/page/ui/toast.ts')),
  }
})
afterAll(() => browser.restore())
beforeEach(() => {
  ui.toasts.value = []
})

const messages = () => ui.toasts.peek().map(({ text, isProblem }) => (isProblem ? `problem: ${text}` : text))
const refuse = () => Promise.reject(new Error('it is in use'))

describe('an action', () => {
  let action: ReturnType<typeof Action.createAction<[string], string>>
  let ends: PromiseWithResolvers<number>[]

  const work = (_name: string) => {
    ends.push(Promise.withResolvers<number>())
    return ends.at(-1)?.promise ?? Promise.resolve(0)
  }
  const state = () => [action.running.peek(), action.problem.peek()]

  beforeEach(() => {
    action = ui.createAction<[string], string>()
    ends = []
  })

  test('an action does nothing at a second press while it runs', async () => {
    const first = action.run(['a'], work, {})
    await action.run(['b'], work, {})
    expect([ends.length, state()]).toEqual([1, [['a'], undefined]])
    ends[0]?.resolve(1)
    await first
    expect(state()).toEqual([null, undefined])
    void action.run(['c'], work, {})
    expect([ends.length, state()]).toEqual([2, [['c'], undefined]])
  })

  test('an action has the sentence of an error until the next run', async () => {
    await action.run(['a'], refuse, {})
    expect(state()).toEqual([null, 'Error: it is in use.'])
    void action.run(['a'], work, {})
    expect(state()).toEqual([['a'], undefined])
  })

  test('an action has what the caller makes of an error', async () => {
    await action.run(['a'], refuse, { problemOf: (error) => (error as Error).message })
    expect(state()).toEqual([null, 'it is in use'])
    action.clear()
    expect(state()).toEqual([null, undefined])
  })

  test('an action does not start with an input that has a problem', async () => {
    let input = ''
    const check = () => (input === '' ? 'Write something.' : undefined)
    await action.run(['a'], work, { check })
    expect([ends.length, state()]).toEqual([0, [null, 'Write something.']])
    input = 'text'
    void action.run(['a'], work, { check })
    expect([ends.length, state()]).toEqual([1, [['a'], undefined]])
  })

  test('changes the view after success alone', async () => {
    const results: unknown[] = []
    const next = (result: unknown) => results.push(result)
    await action.run(['a'], refuse, { next })
    expect(results).toEqual([])
    await action.run(['a'], async (name) => `${name} is stored`, { next })
    expect(results).toEqual(['a is stored'])
  })

  test('changes nothing of a view that is gone, but shows its message', async () => {
    const results: unknown[] = []
    const end = action.run(['a'], work, { next: (result) => results.push(result), done: 'Saved.' })
    action.leave()
    ends[0]?.resolve(1)
    await end
    expect([results, state(), messages()]).toEqual([[], [['a'], undefined], ['Saved.']])
  })
})

describe('messages about an attempt', () => {
  test.each([
    ['after success are those of the result', { done: (name: string) => `${name}: saved.` }, ['Checkout: saved.']],
    ['after success may be none', { done: () => undefined, failed: 'Not saved.' }, []],
  ] as const)('%s', async (_, outcome, shown) => {
    expect(await ui.attempt(async () => 'Checkout', outcome)).toEqual({ result: 'Checkout' })
    expect(messages()).toEqual([...shown])
  })

  test.each([
    [
      'have the reason after a string',
      { done: 'Saved.', failed: 'Not saved.' },
      ['problem: Not saved. Error: it is in use.'],
    ],
    ['are what the caller makes of the error', { failed: () => 'In use.' }, ['problem: In use.']],
    ['are none if the caller shows the error elsewhere', { done: 'Saved.' }, []],
  ] as const)('after an error %s', async (_, outcome, shown) => {
    expect(await ui.attempt(refuse, outcome)).toHaveProperty('error')
    expect(messages()).toEqual([...shown])
  })

  test('messages about an attempt have an undo of the result after success', async () => {
    const undone: number[] = []
    await ui.attempt(async () => 7, { done: 'Created.', undo: (id) => undone.push(id) })
    ui.toasts.peek()[0]?.undo?.()
    expect(undone).toEqual([7])
  })

  test('messages about an attempt are followed by what is to be done after either outcome', async () => {
    const ended: string[][] = []
    const note = () => ended.push(messages())
    await ui.attempt(async () => 1, { done: 'Saved.', ended: note })
    await ui.attempt(refuse, { failed: () => 'In use.', ended: note })
    expect(ended).toEqual([['Saved.'], ['Saved.', 'problem: In use.']])
  })
})
