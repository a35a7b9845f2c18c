import { jest } from 'bun:test'

/** A WebSocket of the page, with the test as its server. */
export class FakeSocket extends EventTarget {
  static readonly OPEN = 1
  static last: FakeSocket | undefined
  /** Sockets that were opened and are not closed. */
  static readonly open = new Set<FakeSocket>()
  readonly readyState = 1
  readonly sent: unknown[] = []

  constructor(
    readonly url: URL,
    readonly protocols: string[],
  ) {
    super()
    FakeSocket.last = this
    FakeSocket.open.add(this)
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }

  close(): void {
    FakeSocket.open.delete(this)
  }

  open(): void {
    this.dispatchEvent(new Event('open'))
  }

  /** `code`: with which the server ends the connection. */
  lose(code = 1006): void {
    FakeSocket.open.delete(this)
    this.dispatchEvent(Object.assign(new Event('close'), { code }))
  }

  say(type: string, data: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ type, data }) }))
  }
}

/**
 * Defines the browser globals that Bun does not have, with timers that the test advances. A fetch gets what `answer` gives for its
 * path, or rejects once it is aborted. `restore` removes the globals.
 */
export function fakeBrowser(answer: (path: string) => Response | Promise<Response>): { restore: () => void } {
  const stored = new Map<string, string>()
  const faked: Record<string, unknown> = {
    document: Object.assign(new EventTarget(), { hidden: false, querySelector: () => null }),
    location: { href: 'http://nines.test/', origin: 'http://nines.test' },
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    },
    WebSocket: FakeSocket,
    requestAnimationFrame: (work: () => void) => setTimeout(work, 16),
    cancelAnimationFrame: (frame: number) => clearTimeout(frame),
    fetch: async (url: string, { signal }: RequestInit) => {
      const { promise: aborted, reject } = Promise.withResolvers<never>()
      signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')))
      return Promise.race([answer(new URL(url, 'http://nines.test').pathname.replace('/api/v1', '')), aborted])
    },
  }
  const before = Object.keys(faked).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  for (const [name, value] of Object.entries(faked)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  }
  jest.useFakeTimers()
  return {
    restore() {
      jest.useRealTimers()
      for (const [name, descriptor] of before) {
        if (descriptor) Object.defineProperty(globalThis, name, descriptor)
        else Reflect.deleteProperty(globalThis, name)
      }
    },
  }
}

/** Advances time and runs all timers that become due. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left >= 0; left -= 50) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    if (left > 0) jest.advanceTimersByTime(Math.min(50, left))
  }
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
