import { cpuSeconds, type Throughput } from '../support/load.ts'

type Posts = { url: string; pid: number; headers: Record<string, string>; body: (at: number) => string }

const connections = 64
let posted = 0

/** Keeps 64 connections busy for `seconds`, with a different body for each POST; throws if a response is not 201. */
export async function post({ url, pid, headers, body }: Posts, seconds: number): Promise<Throughput> {
  const { hostname, port, pathname, host } = new URL(url)
  const fixed = Object.entries({ host, 'content-type': 'application/json', ...headers })
  const head = `POST ${pathname} HTTP/1.1\r\n${fixed.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
  const next = () => {
    const text = body((posted += 1))
    return `${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  let answers = 0
  let failure: Error | undefined
  const cpuBefore = cpuSeconds(pid)
  const began = performance.now()
  const open = () => {
    let received = ''
    return Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(next()),
        data(socket, chunk) {
          received += chunk.toString('latin1')
          if (!isWhole(received)) return
          if (!received.startsWith('HTTP/1.1 201 ')) failure ??= new Error(`must be 201: ${received.slice(-300)}`)
          answers += 1
          received = ''
          socket.write(next())
        },
      },
    })
  }
  const sockets = await Promise.all(Array.from({ length: connections }, open))
  await Bun.sleep(seconds * 1000)
  const took = (performance.now() - began) / 1000
  const cpu = cpuSeconds(pid) - cpuBefore
  for (const socket of sockets) socket.end()
  if (failure) throw failure
  return { perSecond: answers / took, cpuMicrosPerAnswer: (cpu / answers) * 1e6 }
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /content-length: (\d+)/i.exec(answer)?.[1]
  return answer.length >= end + 4 + Number(length)
}
