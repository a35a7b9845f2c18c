import { readFileSync } from 'node:fs'

/** Throughput of a server under load: responses per second of elapsed time, and its CPU time per response. */
export type Throughput = { perSecond: number; cpuMicrosPerAnswer: number }

export type Target = { url: string; pid: number; headers: Record<string, string> }

const connections = 32

/**
 * Keeps 32 connections to one path busy for `seconds`. The load generator must be cheap, because it runs on the same machine.
 */
export async function load({ url, pid, headers }: Target, seconds: number): Promise<Throughput> {
  const open = await clientsOf({ url, headers })
  let answers = 0
  const cpuBefore = cpuSeconds(pid)
  const began = performance.now()
  const end = await open(connections, () => (sendNext) => {
    answers += 1
    sendNext()
  })
  await Bun.sleep(seconds * 1000)
  const took = (performance.now() - began) / 1000
  const cpu = cpuSeconds(pid) - cpuBefore
  end()
  return { perSecond: answers / took, cpuMicrosPerAnswer: (cpu / answers) * 1e6 }
}

/** Called with each response of a connection; `sendNext` sends the next request. */
type OnAnswer = (sendNext: () => void) => void

/**
 * Returns a function that opens connections which send the same GET, and resolves to a function that closes them. Every
 * response must be as long as the first, so that counting bytes counts responses.
 */
export async function clientsOf({ url, headers }: Omit<Target, 'pid'>) {
  const { hostname, port, request } = requestFor(url, headers)
  const answerBytes = await firstAnswerBytes(hostname, port, request)
  const connect = (onAnswer: OnAnswer) => {
    let missing = answerBytes
    return Bun.connect({
      hostname,
      port,
      socket: {
        open: (socket) => void socket.write(request),
        data(socket, chunk) {
          missing -= chunk.byteLength
          if (missing > 0) return
          if (missing < 0) throw new Error(`${url}: an answer was longer than the first`)
          missing = answerBytes
          onAnswer(() => void socket.write(request))
        },
      },
    })
  }
  return async (count: number, clientOf: () => OnAnswer): Promise<() => void> => {
    const sockets = await Promise.all(Array.from({ length: count }, () => connect(clientOf())))
    return () => sockets.forEach((socket) => socket.end())
  }
}

/** Bytes of a GET request, and the address to send them to. */
function requestFor(url: string, headers: Record<string, string>) {
  const { hostname, port, pathname, search, host } = new URL(url)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return { hostname, port: Number(port), request: `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n` }
}

/** Length of a whole response; throws if its status is not 200. */
async function firstAnswerBytes(hostname: string, port: number, request: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let text = ''
  const socket = await Bun.connect({
    hostname,
    port,
    socket: {
      data(_, chunk) {
        text += chunk.toString('latin1')
        const end = text.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (end < 0 || text.length < end + 4 + length) return
        if (text.startsWith('HTTP/1.1 200 ')) resolve(text.length)
        else reject(new Error(`must be 200: ${text.slice(0, 200)}`))
      },
    },
  })
  socket.write(request)
  const bytes = await promise
  socket.end()
  return bytes
}

/** User and system time of a process and all its threads, from Linux's /proc, in ticks of 10 ms. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Resident memory of a process, now and at its peak, in bytes. */
export function memoryOf(pid: number): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
  return { rss: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** Loads the targets alternately, round by round; the first round warms up and is not counted. */
export async function loadInTurns(targets: Record<string, Target>, rounds: number, secondsEach: number) {
  const results: Record<string, Throughput[]> = {}
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, target] of Object.entries(targets)) {
      const measured = await load(target, secondsEach)
      if (round > 0) (results[name] ??= []).push(measured)
    }
  }
  return results
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Smallest value that at least `percent` percent of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN
}
