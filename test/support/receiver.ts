/** A request that a notification receiver got; `path` includes the query string. */
export type Received = {
  method: string
  path: string
  headers: Headers
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a payload is assessed by what a test expects of it
  json: any
}

export type Receiver = {
  url: string
  received: Received[]
  /** Sets answers for the next requests, one each; afterwards the default applies again. */
  next(...answers: Answerer[]): void
  close(): Promise<void>
}

export type Answerer = (request: Received) => Response | Promise<Response>

/** An HTTP server on 127.0.0.1 that records requests and answers them with `answer`. */
export function startReceiver(answer: Answerer): Receiver {
  const received: Received[] = []
  const scripted: Answerer[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const url = new URL(request.url)
      const text = await request.text()
      const one = {
        method: request.method,
        path: url.pathname + url.search,
        headers: request.headers,
        text,
        json: parsed(text),
      }
      received.push(one)
      return (scripted.shift() ?? answer)(one)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    next: (...answers) => void scripted.push(...answers),
    close: () => server.stop(true),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
