import { now } from '../clock.ts'
import { signal } from '@preact/signals'
import { base } from '../address/base.ts'
import { freshToken } from './session.ts'
import type { OverviewSlo } from './types.ts'

/** Figures of an SLO in a message of the server (`slo_update`); SLIs and budgets in percent, null: not known. */
export type Update = Pick<OverviewSlo, 'state' | 'state_since' | 'state_reason' | 'burn_rate_now'> & {
  slo_id: number
  status: string
  current_value: number | null
  target_value: number
  error_budget_used: number | null
  window_percent_used: number | null
  window_percent_estimated: boolean
  timestamp: string
}

/**
 * Message of the server: an SLO was evaluated or changed, an SLO was deleted, an alert began, ended or was acknowledged
 * (`sloId` null: an alert of nines itself), or an incident was opened, changed or closed. `gap`: a lost connection is back, and
 * anything may have changed.
 */
export type ServerMessage =
  | { kind: 'slo'; update: Update }
  | { kind: 'deleted'; sloId: number }
  | { kind: 'alert'; sloId: number | null }
  | { kind: 'incident'; sloId: number }
  | { kind: 'gap' }
type Listener = (message: ServerMessage) => void

const firstRetryMs = 1000
const maxRetryMs = 30_000
const pingEveryMs = 30_000
/** Code with which the server ends a connection whose token is no longer good. */
const signedOutCode = 4401

const listeners = new Set<Listener>()
let socket: WebSocket | undefined
/** Number of the newest attempt to connect, the only one that counts; a disconnect changes it too. */
let attempt = 0
let retryMs = firstRetryMs
let timer: ReturnType<typeof setTimeout> | undefined
let shouldConnect = false

/** State of the connection, and when it last changed between live and offline. */
const state = signal<{ state: 'connecting' | 'live' | 'offline'; sinceMs: number }>({
  state: 'connecting',
  sinceMs: now(),
})

/** Calls the listener with each message of the server. Returns a function that ends this. */
export function onMessage(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Calls the listener at each update of an SLO of the organization. It gets null if more may have changed: a lost connection is
 * back, or an SLO was deleted. Returns a function that ends this.
 */
export function onSloUpdate(listener: (update: Update | null) => void): () => void {
  return onMessage((message) => {
    if (message.kind !== 'alert' && message.kind !== 'incident')
      listener(message.kind === 'slo' ? message.update : null)
  })
}
onSloUpdate.state = state

/** Connects, and reconnects whenever the connection is lost: after up to 1 second at first, then up to 30. */
export function connect(): void {
  shouldConnect = true
  if (!socket) void open()
}

export function disconnect(): void {
  shouldConnect = false
  attempt++
  clearTimeout(timer)
  socket?.close()
  socket = undefined
}

/** Opens a connection. `refused`: a token that the server no longer accepts. */
async function open(refused?: string): Promise<void> {
  clearTimeout(timer)
  const own = ++attempt
  const token = await freshToken(refused).catch(() => undefined)
  if (own !== attempt) return // another attempt or a disconnect came in between
  if (token === null) return // the session has ended, and the page shows the login
  if (token === undefined) return reconnectLater()
  const url = new URL(`${base}/api/v1/ws/subscribe`, location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  const opened = new WebSocket(url, ['nines.v1', `bearer.${token}`])
  socket = opened
  const pings = setInterval(
    () => opened.readyState === WebSocket.OPEN && opened.send('{"type":"ping","data":{}}'),
    pingEveryMs,
  )
  opened.addEventListener('open', () => {
    if (socket !== opened) return
    const wasLost = state.peek().state !== 'connecting'
    retryMs = firstRetryMs
    opened.send('{"type":"subscribe","data":{"all":true,"channels":["status","metrics"]}}')
    state.value = { state: 'live', sinceMs: now() }
    if (wasLost) dispatch({ kind: 'gap' })
  })
  opened.addEventListener('message', ({ data }) => {
    const message = socket === opened ? parseMessage(String(data)) : undefined
    if (message) dispatch(message)
  })
  opened.addEventListener('close', ({ code }) => {
    clearInterval(pings)
    if (socket !== opened) return
    socket = undefined
    if (code === signedOutCode) void open(token)
    else reconnectLater()
  })
}

function dispatch(message: ServerMessage): void {
  for (const listener of listeners) listener(message)
}

function parseMessage(text: string): ServerMessage | undefined {
  const { type, data } = JSON.parse(text)
  if (type === 'slo_update') return { kind: 'slo', update: data }
  if (type === 'notification' || type === 'acknowledgement') return { kind: 'alert', sloId: data.slo_id }
  if (type === 'incident') return { kind: 'incident', sloId: data.slo_id }
  if (type === 'unsubscription_confirmed' && data.slo_id) return { kind: 'deleted', sloId: data.slo_id }
  return undefined
}

function reconnectLater(): void {
  socket = undefined
  if (!shouldConnect) return
  if (state.peek().state !== 'offline') state.value = { state: 'offline', sinceMs: now() }
  timer = setTimeout(() => void open(), retryMs * (0.5 + Math.random() / 2))
  retryMs = Math.min(maxRetryMs, retryMs * 2)
}

addEventListener('online', () => {
  if (shouldConnect && !socket) void open()
})
