import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'
import { headerOf, type MailServer, startMailServer } from '../support/mail-server.ts'
import { newFolder, type Nines, startNines } from '../support/process.ts'
import { seeded } from '../support/seeded.ts'
import { type Outbox, readOutbox, type Row } from './torture-outbox.ts'
import { type FlakyReceiver, startFlakyReceiver } from './torture-receiver.ts'
import { printTorture } from './torture-table.ts'
import { type Queued, queueAll, setUp, subjectsOf, type Torture, total } from './torture-world.ts'

const kills = 20
const seed = 5
const maxArrivalsALife = 1100
/**
 * About a minute on an idle machine. Where it takes more than two, a minute that failed is not measured again by the last life, and the
 * alerts of its SLOs end once it has left the five minutes of their status.
 */
const maxSeconds = 600

/** Ten thousand messages, plus alerts, to receivers that fail. nines is killed repeatedly while it queues and delivers them. */
describe('an outbox whose process is killed while receivers fail', () => {
  const random = seeded(seed)
  const dataDir = newFolder()
  let receiver: FlakyReceiver
  let mail: MailServer
  let torture: Torture
  let outbox: Outbox
  let queued: Queued
  let statistics: Record<string, number>
  const killedAfter: string[] = []
  const logs: string[] = []
  const seconds: Record<string, number> = {}

  beforeAll(async () => {
    receiver = startFlakyReceiver(seeded(seed + 1))
    closeLater(receiver.close)
    const mailRandom = seeded(seed + 2)
    const refusal = () => (mailRandom() < 0.15 ? { code: 451, text: 'not now' } : undefined)
    mail = await startMailServer({ encryption: 'none', refuse: { greeting: refusal, data: refusal } })
    closeLater(() => void mail.close())
    await play()
    outbox = readOutbox(dataDir)
  }, maxSeconds * 1000)
  afterAll(closeAll)

  async function play(): Promise<void> {
    let life = 0
    // healthy in the last life
    const source = fakeSource(() => (life % 4 < 2 ? 1 : 0.5 + life / 1000))
    closeLater(source.close)
    const env = {
      SOURCE_URL: source.url,
      EVALUATION_INTERVAL: '10',
      NOTIFY_CONCURRENCY: '16',
      NOTIFY_RETRY_DELAY: '0.05',
      NOTIFY_DEDUP_WINDOW: '3600',
    }
    const start = () => startNines({ dataDir, env })
    const began = performance.now()
    const stop = (name: string) => void (seconds[name] = Math.round((performance.now() - began) / 100) / 10)
    let living = start()
    torture = await setUp(await living, { webhookUrl: receiver.url, mailPort: mail.port })
    const queueing = queueAll(torture, () => living).finally(() => stop('queued'))
    while (life < kills) {
      const nines = await living
      const next = Promise.withResolvers<Nines>()
      const arrivals = 1 + Math.floor(random() * maxArrivalsALife)
      const delayMs = random() < 0.5 ? 0 : random() * 10
      killedAfter.push(delayMs === 0 ? `${arrivals}` : `${arrivals}+${delayMs.toFixed(1)} ms`)
      const kill = () => {
        living = next.promise
        nines.kill('SIGKILL')
      }
      receiver.after(arrivals, () => (delayMs === 0 ? kill() : setTimeout(kill, delayMs)))
      expect(await nines.exited).toBe(128 + 9)
      logs.push(nines.log())
      receiver.nextLife()
      life += 1
      next.resolve(start())
    }
    stop('last kill')
    queued = await queueing
    const last = await living
    while (await isAtWork(last)) await Bun.sleep(50)
    stop('delivered')
    statistics = (await last.call('GET', '/api/v1/notifications/statistics', undefined, torture.token)).body.data
    last.kill('SIGTERM')
    expect(await last.exited).toBe(0)
    logs.push(last.log())
  }

  /** Asks for alerts first: the end of the last ones queues notifications in the same transaction. */
  async function isAtWork(nines: Nines): Promise<boolean> {
    const ask = async (path: string) =>
      (await nines.call('GET', `/api/v1/notifications/${path}`, undefined, torture.token)).body
    if ((await ask('alerts')).total > 0) return true
    const { pending_notifications, sending_notifications } = (await ask('statistics')).data
    return pending_notifications + sending_notifications > 0
  }

  const arrivalsOf = () => Map.groupBy(receiver.arrivals, ({ key }) => key)
  const idsWhere = (rows: Row[], predicate: (row: Row) => boolean) => rows.filter(predicate).map(({ id }) => id)

  test('holds every message once, whatever was cut off while it was queued', () => {
    printTorture({ seed, killedAfter, seconds, queued, outbox, receiver, mails: mail.mails.length })
    const messages = outbox.rows.filter(({ event }) => event === 'message')
    expect(queued.acknowledged + queued.known).toBe(total)
    expect(messages).toHaveLength(total)
    for (const [channelId, rows] of Map.groupBy(messages, ({ channel_id }) => channel_id)) {
      expect(rows.map(({ subject }) => subject)).toEqual(subjectsOf(channelId)) // in the order of the requests
    }
    expect(outbox.problems).toEqual([])
  })

  test('holds one alert for each alert and rule, and one recovery where the alert was sent', () => {
    const rowsOf = Map.groupBy(outbox.rows, ({ alert_id, rule_id }) => `${alert_id} ${rule_id}`)
    const unsent = new Set(
      outbox.rows.flatMap(({ event, status, alert_id, channel_id }) =>
        event === 'alert' && status === 'failed' ? [`${alert_id} ${channel_id}`] : [],
      ),
    )
    const wanted = outbox.alerts
      .filter(({ name }) => name === 'status')
      .flatMap((alert) =>
        outbox.rules
          .filter(
            ({ slo_id, cause }) => slo_id === alert.slo_id && (cause === 'recovery' || alert.severity === 'critical'),
          )
          .map(({ id, cause, channel_id }) => ({
            key: `${alert.id} ${id}`,
            isOptional: cause === 'recovery' && unsent.has(`${alert.id} ${channel_id}`), // by when the alert's delivery failed
          })),
      )
    const found = outbox.rows.flatMap(({ alert_id, rule_id }) => (alert_id === null ? [] : [`${alert_id} ${rule_id}`]))
    const keys = wanted.filter(({ key, isOptional }) => !isOptional || rowsOf.has(key)).map(({ key }) => key)
    expect(found.toSorted()).toEqual(keys.toSorted())
    expect(found.length).toBeGreaterThan(500)
    expect(outbox.alerts.filter(({ ended_at }) => ended_at === null)).toEqual([])
  })

  test('ends with every notification delivered, sent or failed', () => {
    const counts = Map.groupBy(outbox.rows, ({ status }) => status)
    expect([...counts.keys()].toSorted()).toEqual(['delivered', 'failed', 'sent'])
    for (const [status, { length }] of counts) expect(statistics[`${status}_notifications`]).toBe(length)
    expect(statistics['total_notifications']).toBe(outbox.rows.length)
    expect(logs.join('\n')).not.toMatch(/"level":"error"/)
  })

  test('has delivered what its receivers took, and failed what they refused or never took within its retries', () => {
    const arrivals = arrivalsOf()
    const rows = outbox.rows.filter(({ channel_type }) => channel_type === 'webhook')
    const arrived = (row: Row) => arrivals.get(row.idempotency_key) ?? []
    const isRefused = (row: Row) => arrived(row).some(({ fate }) => fate === 'refused')
    const isTaken = (row: Row) => arrived(row).some(({ fate }) => fate === 'taken' || fate === 'lost')
    const delivered = rows.filter(({ status }) => status === 'delivered')
    expect(idsWhere(delivered, (row) => !arrived(row).some(({ fate }) => fate === 'taken'))).toEqual([])
    const refused = rows.filter(isRefused)
    expect(refused.length).toBeGreaterThan(50)
    expect(idsWhere(refused, (row) => row.status !== 'failed' || isTaken(row))).toEqual([])
    const unsent = idsWhere(rows, (row) => arrived(row).length === 0)
    expect(unsent).toEqual(idsWhere(rows, isOfFailedAlert))
    const failed = outbox.rows.filter(({ status }) => status === 'failed')
    const tooOften = failed.filter((row) => !isRefused(row) && !isOfFailedAlert(row))
    expect(idsWhere(tooOften, ({ attempts, max_retries }) => attempts.length !== max_retries + 1)).toEqual([])
    expect(tooOften.flatMap(({ attempts }) => attempts).filter(({ outcome }) => outcome !== 'retry')).toEqual([])
    expect(idsWhere(outbox.rows, (row) => (row.error_message !== '') !== failed.includes(row))).toEqual([])
  })

  /** A recovery follows delivered alerts only: it is not sent if the alert's delivery failed. */
  function isOfFailedAlert({ event, status, alert_id, channel_id }: Row): boolean {
    if (event !== 'recovery' || status !== 'failed') return false
    return outbox.rows.some(
      (row) =>
        row.event === 'alert' && row.status === 'failed' && row.alert_id === alert_id && row.channel_id === channel_id,
    )
  }

  test('sends the same again with the same key only, and over a kill only what was answered', () => {
    const keys = new Map(
      outbox.rows.map(({ idempotency_key, channel_id, subject }) => [idempotency_key, { channel_id, subject }]),
    )
    for (const [key, all] of arrivalsOf()) {
      const row = keys.get(key)
      for (const { path, subject } of all) {
        expect(subject).toBe(row?.subject ?? '')
        expect(torture.pathOf.get(row?.channel_id ?? 0)).toBe(path)
      }
      const repeated = all.filter(({ fate, life }, at) => {
        const next = all[at + 1]
        return (fate === 'taken' || fate === 'refused') && next !== undefined && next.life === life
      })
      expect(repeated).toEqual([])
    }
    const mailKeys = Map.groupBy(mail.mails, (one) => headerOf(one, 'message-id'))
    const mailSubjects = Map.groupBy(mail.mails, (one) => headerOf(one, 'subject'))
    const sent = outbox.rows.filter(({ status }) => status === 'sent')
    expect(sent.filter(({ subject }) => !mailSubjects.has(subject))).toEqual([])
    expect(mailKeys.size).toBe(mailSubjects.size)
    for (const mails of mailKeys.values()) expect(new Set(mails.map((one) => headerOf(one, 'subject'))).size).toBe(1)
  })

  test('reaches each channel in the order of ids, and not before its receiver allows', () => {
    const idOf = new Map(outbox.rows.map(({ idempotency_key, id }) => [idempotency_key, id]))
    for (const all of Map.groupBy(receiver.arrivals, ({ path }) => path).values()) {
      const first = [...new Set(all.map(({ key }) => key))].map((key) => idOf.get(key) ?? 0)
      expect(first).toEqual(first.toSorted((a, b) => a - b))
      const steps = all.slice(1).map((next, at) => ({ next, before: all[at] ?? next }))
      const inOneLife = steps.filter(({ next, before }) => next.life === before.life)
      const overtaking = inOneLife.filter(({ next, before }) => (idOf.get(next.key) ?? 0) < (idOf.get(before.key) ?? 0))
      expect(overtaking).toEqual([])
      expect(inOneLife.filter(({ next, before }) => next.atMs < (before.againAtMs ?? 0))).toEqual([])
    }
    const mails = Map.groupBy(mail.mails, ({ to }) => to.join(' '))
    for (const all of mails.values()) {
      const numbers = [...new Set(all.map((one) => Number(/\d+/.exec(headerOf(one, 'subject') ?? '')?.[0])))]
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    }
  })
})
