import { rawHttp, type Wire } from '../support/raw-http.ts'

/**
 * Outcome of a request. `taken`: accepted and answered; `lost`: accepted, but the answer was cut off; `closed` without an
 * answer; `broken`: 500; `limited`: 429, to be retried at `againAtMs`; `refused` permanently: 404.
 */
type Fate = 'taken' | 'lost' | 'closed' | 'broken' | 'limited' | 'refused'

export type Arrival = {
  /** Path of the channel's URL. */
  path: string
  key: string
  subject: string
  /** Number of restarts of the sender before. */
  life: number
  atMs: number
  fate: Fate
  againAtMs: number | null
}

export type FlakyReceiver = {
  url: string
  arrivals: Arrival[]
  /** Number of answers that the sender was no longer there to receive. */
  unheard(): number
  /** Counts all later requests to the sender's next life. */
  nextLife(): void
  /** Calls back after so many more arrivals. */
  after(arrivals: number, call: () => void): void
  close(): void
}

const refusedShare = 0.01
const failingShare = 0.3

/**
 * A webhook receiver on 127.0.0.1. It refuses some messages permanently, at every attempt. Of the others it fails 30 %, in
 * different ways.
 */
export function startFlakyReceiver(random: () => number): FlakyReceiver {
  const arrivals: Arrival[] = []
  const refused = new Map<string, boolean>()
  let life = 0
  let unheard = 0
  let waiting: { at: number; call: () => void } | null = null

  const http = rawHttp(({ path, headers, body }, wire) => {
    const key = headers.get('idempotency-key') ?? ''
    if (!refused.has(key)) refused.set(key, random() < refusedShare)
    const fate = refused.get(key) ? 'refused' : random() < failingShare ? oneOf(failures, random) : 'taken'
    const atMs = Date.now()
    const wait = fate === 'limited' ? waitUntil(atMs, random) : null
    const { subject } = JSON.parse(body)
    arrivals.push({ path, key, subject, life, atMs, fate, againAtMs: wait?.againAtMs ?? null })
    const answer = () => {
      if (!wire.isOpen()) unheard += 1
      answers[fate](wire, wait?.header ?? '')
    }
    if (random() < 0.5) answer()
    else setTimeout(answer, random() * 20)
    if (waiting && arrivals.length >= waiting.at) {
      const { call } = waiting
      waiting = null
      call()
    }
  })

  return {
    url: `http://127.0.0.1:${http.port}`,
    arrivals,
    unheard: () => unheard,
    nextLife: () => void (life += 1),
    after: (more, call) => void (waiting = { at: arrivals.length + more, call }),
    close: http.close,
  }
}

const failures = ['broken', 'broken', 'limited', 'closed', 'lost'] as const

const answers: Record<Fate, (wire: Wire, retryAfter: string) => void> = {
  taken: (wire) => wire.write(response('200 OK')),
  broken: (wire) => wire.write(response('500 Internal Server Error')),
  limited: (wire, retryAfter) => wire.write(response('429 Too Many Requests', `Retry-After: ${retryAfter}\r\n`)),
  refused: (wire) => wire.write(response('404 Not Found')),
  closed: (wire) => wire.reset(),
  lost: (wire) => {
    wire.write(response('200 OK').slice(0, -1))
    wire.end()
  },
}

function response(status: string, header = ''): string {
  return `HTTP/1.1 ${status}\r\nContent-Length: 2\r\n${header}\r\nhi`
}

/** Retry-After in seconds or as a date, which has a resolution of one second. */
function waitUntil(nowMs: number, random: () => number): { header: string; againAtMs: number } {
  if (random() < 0.1) {
    const againAtMs = Math.ceil(nowMs / 1000) * 1000
    return { header: new Date(againAtMs).toUTCString(), againAtMs }
  }
  const waitMs = Math.floor(random() * 200)
  return { header: String(waitMs / 1000), againAtMs: nowMs + waitMs }
}

function oneOf<T>(choices: readonly [T, ...T[]] | readonly T[], random: () => number): T {
  return choices[Math.floor(random() * choices.length)] as T
}
