import type { Client } from './hub.ts'

/** Of a transport: what is sent inside `cork` leaves it in one write. */
type Socket = Client & { cork(send: () => void): void }

/** Sends what is said in one go, as when many SLOs have been evaluated, in few writes; nothing waits longer than for that. */
export function gather(socket: Socket): Client {
  let waiting: string[] = []

  function flush(): void {
    const texts = waiting
    waiting = []
    if (texts.length === 0) return
    socket.cork(() => {
      for (const text of texts) socket.send(text)
    })
  }

  return {
    send(text) {
      if (waiting.push(text) === 1) queueMicrotask(flush)
    },
    close(code, reason) {
      flush()
      socket.close(code, reason)
    },
  }
}
