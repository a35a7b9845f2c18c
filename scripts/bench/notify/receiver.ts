/** Takes webhooks on 127.0.0.1, and keeps when each first came, by the name in its payload. */
export type Receiver = {
  url: string
  /** From now on, answers so. */
  answer(status: number): void
  /** Forgets what has come so far. */
  forget(): void
  /** When each of these came, in ms of this process, once all have. */
  all(names: string[]): Promise<Map<string, number>>
  stop(): Promise<void>
}

/** Of a message of nines, or an alert of Alertmanager: the subject of one, a label of the other. */
const name = /"(?:subject|name)":"(bench [^"]+)"/

export function startReceiver(): Receiver {
  const arrivals = new Map<string, number>()
  let status = 200
  let wake = () => {}
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const found = name.exec(await request.text())?.[1]
      if (found !== undefined && !arrivals.has(found)) arrivals.set(found, performance.now())
      wake()
      return new Response('ok', { status })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    forget: () => arrivals.clear(),
    answer: (next) => void (status = next),
    async all(names) {
      while (!names.every((one) => arrivals.has(one))) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
      return new Map(arrivals)
    },
    stop: () => server.stop(true),
  }
}
