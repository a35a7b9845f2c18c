import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from '../goals.ts'
import { start } from '../support/child.ts'
import { cpuSeconds, percentile } from '../support/load.ts'
import { executable, senderTo, signUp, startNinesIn } from '../support/processes.ts'
import type { Surroundings, SocketsRequest } from './surroundings.ts'

const slos = 1000
const targets = 50 // each is scraped every five seconds
const sockets = 200
const readsPerSecond = 50
const notificationsPerSecond = 20
const backupEverySeconds = 20
const idleSeconds = 20
const warmUpSeconds = 60 // the SLOs are backfilled
const busySeconds = 130 // at least two rounds of evaluations

type Send = ReturnType<typeof senderTo>

/**
 * Measures read latencies while nines is idle and while it is busy: 1,000 SLOs are evaluated on the embedded source, 10 targets
 * a second are scraped, notifications are delivered, a backup runs every 20 s, and 200 sockets are subscribed.
 */
export async function benchBusy(): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const around = start('busy/surroundings.ts', String(targets))
  try {
    const { targets: urls, receiver } = await around.next<Surroundings>()
    const { token, idle } = await alone(dataDir)
    const nines = await startNinesIn(dataDir, { EVALUATION_INTERVAL: '10', NOTIFY_DEDUP_WINDOW: '0' })
    try {
      const send = senderTo(nines, token)
      for (const [at, url] of urls.entries()) {
        await send('POST', '/api/v1/embedded/targets', { name: `target ${at}`, url, interval_seconds: 5 })
      }
      const channel = { name: 'hook', channel_type: 'webhook', configuration: { webhook_url: receiver } }
      const channelId = (await send('POST', '/api/v1/notifications/channels', channel)).data['id'] ?? 0
      const tokens = [token, await inviteAnother(send)] // a user may have 100 sockets
      around.send({ url: nines.url, tokens, sockets, slos } satisfies SocketsRequest)
      await around.next<'open'>()
      const ending = new AbortController()
      const others = [notify(send, channelId, ending.signal), backUp(dataDir, ending.signal)]
      await timesOf(readerOf(send), warmUpSeconds)
      const cpuBefore = cpuSeconds(nines.pid)
      const busy = await timesOf(readerOf(send), busySeconds)
      const cpu = ((cpuSeconds(nines.pid) - cpuBefore) / busySeconds) * 100
      ending.abort()
      const [notified, backups] = await Promise.all(others)
      process.stdout.write(`\nreads, ${readsPerSecond} a second, alone and while everything runs, ${busySeconds} s\n`)
      print('alone', idle)
      print('while everything runs', busy)
      process.stdout.write(`  ${notified} notifications queued, ${backups} backups, nines ${cpu.toFixed(0)} % CPU\n`)
      const beside = { name: 'alone', value: percentile(idle, 99) }
      return [{ what: 'p99 of reads', value: percentile(busy, 99), unit: 'ms', beside, goal: { atMost: 3 } }]
    } finally {
      await nines.stop()
    }
  } finally {
    around.stop()
    rmSync(dataDir, { recursive: true })
  }
}

/** Creates the account and the SLOs, and measures reads without evaluations. */
async function alone(dataDir: string): Promise<{ token: string; idle: number[] }> {
  const nines = await startNinesIn(dataDir, { EVALUATION_INTERVAL: '0' })
  try {
    const { token, send } = await signUp(nines)
    await createSlos(send)
    await timesOf(readerOf(send), 5) // warms up
    return { token, idle: await timesOf(readerOf(send), idleSeconds) }
  } finally {
    await nines.stop()
  }
}

async function createSlos(send: Send): Promise<void> {
  for (let at = 0; at < slos; at += 1) {
    const svc = `svc="s${at % targets}_${Math.floor(at / targets)}"`
    await send('POST', '/api/v1/slos', {
      name: `SLO ${at}`,
      target: 99.5,
      time_window: '30d',
      metric_type: 'availability',
      metric_query: `sum(rate(requests_total{${svc},code!~"5.."}[5m])) / sum(rate(requests_total{${svc}}[5m]))`,
    })
  }
}

/** Invites another user of the organization and returns the user's token. */
async function inviteAnother(send: Send): Promise<string> {
  const email = 'another@example.com'
  const { token } = await send('POST', '/api/v1/organization/invitations', { email, role: 'viewer' })
  const registration = { email, name: 'Another', password: 'correct horse battery', invitation_token: token }
  return (await send('POST', '/api/v1/auth/register', registration)).access_token
}

/** Reads the requests of a page and of a script, in rotation. */
function readerOf(send: Send): (at: number) => Promise<unknown> {
  return (at) => {
    const id = (at % slos) + 1
    const paths = [
      `/slos/${id}`,
      `/slos/${id}/budget`,
      `/slos?page=${(at % 10) + 1}&page_size=100`,
      `/slos/${id}/series`,
    ]
    return send('GET', `/api/v1${paths[at % paths.length]}`)
  }
}

/** Milliseconds of each read from its scheduled start, so that waiting for earlier reads counts. */
async function timesOf(read: (at: number) => Promise<unknown>, seconds: number): Promise<number[]> {
  const times: number[] = []
  const reads: Promise<unknown>[] = []
  const began = performance.now()
  for (let at = 0; at < seconds * readsPerSecond; at += 1) {
    const due = began + (at * 1000) / readsPerSecond
    await Bun.sleep(Math.max(0, due - performance.now()))
    reads.push(read(at).then(() => times.push(performance.now() - due)))
  }
  await Promise.all(reads)
  return times
}

async function notify(send: Send, channel_id: number, ending: AbortSignal): Promise<number> {
  let queued = 0
  while (!ending.aborted) {
    const subject = `busy ${(queued += 1)}`
    await send('POST', '/api/v1/notifications/rules', {
      slo_id: 1,
      channel_id,
      alert_type: 'manual',
      subject,
      message: 'm',
    })
    await Bun.sleep(1000 / notificationsPerSecond)
  }
  return queued
}

async function backUp(dataDir: string, ending: AbortSignal): Promise<number> {
  let backups = 0
  const file = join(tmpdir(), `nines-bench-${process.pid}.tar`)
  while (!ending.aborted) {
    const child = Bun.spawn([executable(), 'backup', file], {
      env: { DATA_DIR: dataDir },
      stdout: 'ignore',
      stderr: 'inherit',
    })
    if ((await child.exited) !== 0) throw new Error('the backup failed')
    backups += 1
    await sleep(backupEverySeconds * 1000, undefined, { signal: ending }).catch(() => {})
  }
  rmSync(file)
  return backups
}

function print(what: string, times: number[]): void {
  const [p50, p99, max] = [50, 99, 100].map((percent) => percentile(times, percent).toFixed(1))
  process.stdout.write(`  ${what.padEnd(24)} p50 ${p50} ms, p99 ${p99} ms, max ${max} ms of ${times.length}\n`)
}
