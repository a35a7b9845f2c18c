/** Receives webhooks on 127.0.0.1, and records when each first arrived, by the name in its payload. */
export type Receiver = {
  url: string
  /** Sets the status of all following responses. */
  answer(status: number): void
  /** Clears the recorded arrivals. */
  forget(): void
  /** Waits until all of these have arrived; returns the arrival times, in ms of this process. */
  all(names: string[]): Promise<Map<string, number>>
  stop(): Promise<void>
}

/** Name in the payload: the subject of a nines message, or a label of an Alertmanager alert. */
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
