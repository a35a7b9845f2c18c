import { readFileSync } from 'node:fs'

/** What a server did under load: answers a second of the clock, and of its own processor time. */
export type Throughput = { perSecond: number; cpuMicrosPerAnswer: number }

export type Target = { url: string; pid: number; headers: Record<string, string> }

const connections = 32

/** Keeps 32 connections to one path busy for `seconds`. The loader must cost little, for it runs on the same machine. */
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

/** Called with each answer of a connection; `sendNext` sends the next request. */
type OnAnswer = (sendNext: () => void) => void

/**
 * Gives what opens connections that send the same GET, and resolves with what ends them. Every answer must be as long as the
 * first, so that counting bytes counts answers.
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

/** The bytes of a GET, and where to send them. */
function requestFor(url: string, headers: Record<string, string>) {
  const { hostname, port, pathname, search, host } = new URL(url)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return { hostname, port: Number(port), request: `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n` }
}

/** How long a whole answer is; throws for one that is not 200. */
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

/** User and system time of a process and all its threads; Linux's /proc, in ticks of 10 ms. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** What a process holds in memory, now and at most, in bytes. */
export function memoryOf(pid: number): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
  return { rss: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** What each target did, round by round, taking turns; the first round warms up and is not counted. */
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

/** The value that `percent` of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN
}
