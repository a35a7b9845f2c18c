import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type * as Resources from '../../../../src/web/page/api/resource.ts'
import { fakeBrowser, pass } from './fake-browser.ts'

describe('a resource', () => {
  let browser: ReturnType<typeof fakeBrowser>
  let resources: typeof Resources // loaded once the browser globals exist
  /** Answers requests of the page, in the order in which they were sent. */
  let requests: { path: string; answer: (value: unknown) => Promise<void> }[]

  beforeAll(async () => {
    requests = []
    browser = fakeBrowser((path) => {
      const { promise, resolve } = Promise.withResolvers<Response>()
      const answer = (value: unknown) => {
        resolve(Response.json(value))
        return pass(0)
      }
      requests.push({ path, answer })
      return promise
    })
    resources = await import('../../../../src/web/page/api/resource.ts')
  })
  afterEach(() => {
    resources.forgetAll()
    requests.length = 0
  })
  afterAll(() => browser.restore())

  const mounted = (path: string) => {
    const held = resources.resource<string>(path)
    const release = resources.use(held)
    return { held, release }
  }

  test('a resource shares a request between all who read it', async () => {
    const { held } = mounted('/slos/1')
    const both = Promise.all([held.read(), resources.resource('/slos/1').read()])
    await requests[0]?.answer('a')
    await both
    expect(requests).toHaveLength(1)
    expect(held.value.peek()).toBe('a')
  })

  test('a resource is read anew after a write, not by a request that was sent before it', async () => {
    const { held } = mounted('/slos/1')
    const first = held.read()
    resources.invalidate('/slos')
    await pass(50)
    expect(requests).toHaveLength(2)
    await requests[1]?.answer('after')
    await requests[0]?.answer('before')
    await first
    expect(held.value.peek()).toBe('after')
    expect(held.isReading.peek()).toBe(false)
  })

  test('a read that a write overtook ends with the value after the write', async () => {
    const { held } = mounted('/slos/1')
    const seen = held.read().then(() => held.value.peek())
    resources.invalidate('/slos')
    await pass(50)
    await requests[1]?.answer('after')
    expect(await seen).toBe('after')
  })

  test('a resource stays the same through an invalidation while a view holds it without reading', async () => {
    const idle = resources.resource<string>('/slos/1/burn-rates')
    const end = resources.use(idle, false)
    resources.invalidate('/slos')
    await pass(50)
    expect(requests).toHaveLength(0)
    end()
    const release = resources.use(idle)
    void idle.read()
    await requests[0]?.answer('a')
    resources.invalidate('/slos')
    await pass(50)
    await requests[1]?.answer('b')
    expect(idle.value.peek()).toBe('b')
    release()
  })

  test('that nobody uses has no value after an invalidation', async () => {
    const { held, release } = mounted('/slos/1')
    void held.read()
    await requests[0]?.answer('a')
    release()
    resources.invalidate('/slos')
    await pass(50)
    expect(requests).toHaveLength(1)
    expect(resources.resource('/slos/1').value.peek()).toBeUndefined()
  })

  test('a resource is not dropped for newer ones while a view holds it', async () => {
    const idle = resources.resource<string>('/slos/1/burn-rates')
    resources.use(idle, false)
    for (let id = 0; id < 100; id++) resources.resource(`/slos/${id}`)
    expect(resources.resource('/slos/1/burn-rates')).toBe(idle as Resources.Resource<unknown>)
  })

  test('a request of nobody is given up, and its answer is not kept', async () => {
    const { held, release } = mounted('/slos/1')
    void held.read()
    release()
    await requests[0]?.answer('a')
    expect(held.value.peek()).toBeUndefined()
    expect(held.isReading.peek()).toBe(false)
  })

  test('of one user has no value for the next', async () => {
    const { held } = mounted('/slos/1')
    void held.read()
    resources.forgetAll()
    await requests[0]?.answer('of the first')
    expect(held.value.peek()).toBeUndefined()
    expect(resources.resource('/slos/1').value.peek()).toBeUndefined()
  })

  test('a resource is not read again while the document is hidden, but once when it is shown', async () => {
    const { held } = mounted('/slos/1')
    const hide = (hidden: boolean) => {
      Object.assign(document, { hidden })
      document.dispatchEvent(new Event('visibilitychange'))
    }
    hide(true)
    for (let nth = 0; nth < 3; nth++) {
      held.readSoon(1000)
      await pass(2000)
    }
    expect(requests).toHaveLength(0)
    hide(false)
    expect(requests).toHaveLength(1)
    await requests[0]?.answer('a')
    held.readSoon(1000)
    await pass(2000)
    hide(true)
    hide(false)
    expect(requests).toHaveLength(2)
    await requests[1]?.answer('b')
    hide(true)
    held.readSoon(1000, true)
    await pass(2000)
    expect(requests).toHaveLength(3)
    hide(false)
  })

  test('that a view stopped reading while hidden is not read when the document is shown', async () => {
    const { held, release } = mounted('/slos/1')
    Object.assign(document, { hidden: true })
    held.readSoon(1000)
    await pass(2000)
    release()
    Object.assign(document, { hidden: false })
    document.dispatchEvent(new Event('visibilitychange'))
    expect(requests).toHaveLength(0)
  })
})
