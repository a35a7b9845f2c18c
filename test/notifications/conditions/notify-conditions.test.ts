import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { sql } from 'kysely'
import { newDataDir, type TestApp, testApp } from '../../support/app.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { type PagerDuty, routingKey, startPagerDuty } from '../../support/receivers/pagerduty.ts'
import { startWebhook, type WebhookReceiver } from '../../support/receivers/webhook.ts'

let dataDir: string
let nines: TestApp
let incidents: PagerDuty
let hook: WebhookReceiver
let freeBytes = 0
beforeEach(async () => {
  dataDir = newDataDir()
  incidents = startPagerDuty()
  hook = startWebhook()
  freeBytes = 50e9
  nines = await start()
  await nines.join('ada')
  await post('/channels', {
    name: 'pager',
    channel_type: 'incident_a',
    configuration: { routing_key: routingKey, api_url: incidents.url },
  })
  await post('/channels', { name: 'hook', channel_type: 'webhook', configuration: { webhook_url: hook.url } })
  for (const channel_id of [1, 2]) await post('/rules', { ...rule, channel_id })
})
afterEach(async () => {
  await nines.close()
  await incidents.close()
  await hook.close()
})

const rule = { alert_type: 'appliance_condition', priority: 'high', notify: false }
const start = (startMs?: number) =>
  testApp({
    dataDir,
    env: { NOTIFY_RETRY_DELAY: '0' },
    readSpace: async () => ({ bsize: 1, blocks: 100e9, bavail: freeBytes }),
    ...(startMs !== undefined && { startMs }),
  })

async function post(path: string, body: object) {
  const answer = await nines.call('POST', `/api/v1/notifications${path}`, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.body.data
}

/** Runs the jobs of five seconds. */
async function pass() {
  nines.clock.advance(5000)
  await nines.app.selfMonitoring.watch()
  await nines.app.delivery.run()
}

/** Restarts nines as after a kill, without its memory. */
async function restart() {
  const nowMs = nines.clock.now()
  const { app } = nines
  await app.close()
  nines = await start(nowMs + 60_000)
}

const events = () => hook.received.map(({ json }) => `${json.event} ${json.condition.name}`)

test('a condition notifies of its begin and its end, once each, and the incident is closed', async () => {
  nines.app.conditions.set('database_damaged', 'page 10 of samples.db is damaged')
  await pass()
  await pass()
  expect(events()).toEqual(['alert database_damaged'])
  expect(incidents.open()).toEqual([expect.stringMatching(/^nines-.*-condition-database_damaged$/)])
  expect(incidents.received.at(-1)?.json.payload).toMatchObject({ severity: 'critical', class: 'appliance_condition' })
  nines.app.conditions.set('database_damaged', null)
  await pass()
  await pass()
  expect(events()).toEqual(['alert database_damaged', 'recovery database_damaged'])
  expect(incidents.open()).toEqual([])
})

test('the words say the fact first, then what to do', async () => {
  freeBytes = 200e6
  await pass()
  nines.clock.advance(295_000)
  freeBytes = 50e9
  await pass()
  const [begin, end] = hook.received.map(({ json }) => json)
  expect(begin).toMatchObject({
    subject: 'Warning: nines: disk nearly full',
    message: `200 MB of the 100 GB of the data folder's file system are free.
What to do: free space in the data folder, or lower RETENTION_DAYS or SAMPLES_MAX_BYTES.

Since 2026-11-21 10:00 UTC.
http://127.0.0.1:8080/api/v1/health`,
    slo: null,
    alert: { name: 'condition:disk_nearly_full', severity: 'warning' },
  })
  expect(end).toMatchObject({
    subject: 'Recovered: nines: disk nearly full',
    message: `This condition of nines itself has ended: disk nearly full.
From 2026-11-21 10:00 UTC to 2026-11-21 10:05 UTC (5m).

http://127.0.0.1:8080/api/v1/health`,
  })
})

describe('across a restart', () => {
  test('a condition that holds again is not sent twice', async () => {
    nines.app.conditions.set('disk_full', 'the disk is full')
    await pass()
    await restart()
    await pass() // not reported yet
    nines.app.conditions.set('disk_full', 'the disk is still full')
    await pass()
    expect(events()).toEqual(['alert disk_full'])
    nines.app.conditions.set('disk_full', null)
    await pass()
    expect(events()).toEqual(['alert disk_full', 'recovery disk_full'])
    expect(incidents.open()).toEqual([])
  })

  test('one that ended in between is sent as ended once it is known not to hold', async () => {
    nines.app.conditions.set('disk_full', 'the disk is full')
    await pass()
    await restart()
    await pass()
    expect(events()).toEqual(['alert disk_full'])
    nines.app.conditions.set('disk_full', null)
    await pass()
    expect(events()).toEqual(['alert disk_full', 'recovery disk_full'])
  })

  test('one of which nothing is said for a quarter of an hour has ended', async () => {
    nines.app.conditions.set('database_damaged', 'a page is damaged')
    await pass()
    await restart()
    for (let minute = 0; minute < 31; minute += 1) {
      nines.clock.advance(25_000)
      await pass()
    }
    expect(events()).toEqual(['alert database_damaged', 'recovery database_damaged'])
  })

  test('what was queued and not sent is sent', async () => {
    nines.app.conditions.set('disk_full', 'the disk is full')
    await nines.app.selfMonitoring.watch()
    await restart()
    await pass()
    expect(events()).toEqual(['alert disk_full'])
  })
})

test('a rule that is made while a condition holds notifies of it', async () => {
  await nines.call('DELETE', '/api/v1/notifications/rules/2')
  nines.app.conditions.set('disk_full', 'the disk is full')
  await pass()
  expect(events()).toEqual([])
  await post('/rules', { ...rule, channel_id: 2 })
  await pass()
  expect(events()).toEqual(['alert disk_full'])
})

describe('while the database cannot be written', () => {
  const setReadOnly = (isOn: boolean) =>
    sql`pragma query_only = ${sql.raw(isOn ? 'on' : 'off')}`.execute(nines.app.db.write)

  async function failingPass() {
    nines.clock.advance(5000)
    await expect(nines.app.selfMonitoring.watch()).rejects.toThrow('cannot be written')
    await nines.app.selfMonitoring.drain()
  }

  test('a condition is sent past the outbox, once, and its end through it', async () => {
    await setReadOnly(true)
    nines.app.conditions.set('disk_unwritable', 'the disk is read-only')
    await failingPass()
    await failingPass()
    await failingPass()
    expect(events()).toEqual(['alert disk_unwritable'])
    await setReadOnly(false)
    await pass()
    await pass()
    expect(events()).toEqual(['alert disk_unwritable'])
    nines.app.conditions.set('disk_unwritable', null)
    await pass()
    await pass()
    expect(events()).toEqual(['alert disk_unwritable', 'recovery disk_unwritable'])
    expect(incidents.open()).toEqual([])
    const { notifications } = (await nines.call('GET', '/api/v1/notifications/history')).body
    expect(notifications.map(({ event, status }: Record<string, string>) => `${event} ${status}`)).toEqual([
      'recovery delivered',
      'recovery delivered',
      'alert sent',
      'alert sent',
    ])
  })

  describe('a receiver that does not answer until a condition is over', () => {
    let receiver: Receiver
    let answer: () => Response | Promise<Response>
    const setAnswer = (status: number) => (answer = () => new Response(null, { status }))
    beforeEach(async () => {
      receiver = startReceiver(() => answer())
      await post('/channels', { name: 'late', channel_type: 'webhook', configuration: { webhook_url: receiver.url } })
      await post('/rules', { ...rule, channel_id: 3 })
      setAnswer(503)
      await setReadOnly(true)
      nines.app.conditions.set('backup_failed', 'the disk of backups is full')
      await failingPass()
      nines.app.conditions.set('backup_failed', null)
    })
    afterEach(() => receiver.close())

    const sent = () =>
      receiver.received.map(({ json }) => json).filter(({ condition }) => condition.name === 'backup_failed')
    const sentEvents = () => sent().map(({ event, condition }) => `${event} ${condition.message}`)

    /** Makes the database writable, and lets the receiver answer; returns what it gets then. */
    async function recover() {
      await setReadOnly(false)
      setAnswer(200)
      receiver.received.length = 0
      await pass()
      await pass()
      return sentEvents()
    }
    const beginAndEnd = ['alert the disk of backups is full', 'recovery null']

    test('gets its begin, and then its end, once the database is written again', async () => {
      const [tried] = sent()
      await failingPass()
      nines.clock.advance(600_000)
      expect(await recover()).toEqual(beginAndEnd)
      const [begin, end] = sent()
      expect(begin).toMatchObject({ idempotency_key: tried.idempotency_key, thread: tried.thread, alert: tried.alert })
      expect(end).toMatchObject({
        thread: tried.thread,
        alert: { began_at: '2026-11-21T10:00:00.000Z', ended_at: '2026-11-21T10:00:10.000Z' },
      })
    })

    test('gets both after a restart that follows', async () => {
      await setReadOnly(false)
      await nines.app.selfMonitoring.watch()
      await restart()
      expect(await recover()).toEqual(beginAndEnd)
    })

    test('gets those of a condition that recurs in their order', async () => {
      await failingPass()
      nines.app.conditions.set('backup_failed', 'the disk of backups is full again')
      await failingPass()
      expect(await recover()).toEqual([...beginAndEnd, 'alert the disk of backups is full again'])
      nines.app.conditions.set('backup_failed', null)
      await pass()
      const threads = sent().map(({ thread }) => thread)
      expect(threads).toEqual([threads[0], threads[0], threads[2], threads[2]])
      expect(threads[2]).not.toBe(threads[0])
    })

    describe('while an answer is awaited', () => {
      let answered: PromiseWithResolvers<Response>
      beforeEach(async () => {
        answered = Promise.withResolvers()
        answer = () => answered.promise
        nines.app.conditions.set('source_silent', 'a source is silent')
        nines.clock.advance(5000)
        await expect(nines.app.selfMonitoring.watch()).rejects.toThrow('cannot be written')
      })

      async function recur(times: number) {
        for (let time = 0; time < 2 * times; time += 1) {
          nines.clock.advance(5000)
          nines.app.conditions.set('backup_failed', time % 2 === 0 ? `full ${time}` : null)
          await nines.app.selfMonitoring.watch()
        }
        answered.resolve(new Response())
        await nines.app.selfMonitoring.drain()
      }

      test('gets those of a condition that begins and ends then', async () => {
        await recur(1)
        expect(await recover()).toEqual([...beginAndEnd, 'alert full 0', 'recovery null'])
      })

      test('gets those of a condition that recurs very often up to a bound', async () => {
        await recur(110)
        const got = await recover()
        expect(got.length).toBeWithin(190, 201)
        expect(got.at(-1)).toBe('recovery null')
      })
    })

    test('gets each once if a commit that was stored is reported as failed', async () => {
      await setReadOnly(false)
      const index = `${dataDir}/nines.db-shm`
      renameSync(index, `${index}.away`)
      await expect(nines.app.selfMonitoring.watch()).rejects.toThrow('nines.db-shm was moved')
      await nines.app.selfMonitoring.drain()
      renameSync(`${index}.away`, index)
      expect(await recover()).toEqual(beginAndEnd)
    })
  })

  test('begin and end have one thread, and the history has the key that was sent', async () => {
    await setReadOnly(true)
    nines.app.conditions.set('disk_unwritable', 'the disk is read-only')
    await failingPass()
    await setReadOnly(false)
    nines.app.conditions.set('disk_unwritable', null)
    await pass()
    const [begin, end] = hook.received.map(({ json }) => json)
    expect(end).toMatchObject({ event: 'recovery', thread: begin.thread })
    const { notifications } = (await nines.call('GET', '/api/v1/notifications/history?channel_id=2')).body
    const keys = notifications.map((one: Record<string, string>) => one.idempotency_key)
    expect(keys).toEqual([end.idempotency_key, begin.idempotency_key])
  })

  test('one that began before is not sent again', async () => {
    freeBytes = 200e6
    await pass()
    await setReadOnly(true)
    nines.app.conditions.set('disk_unwritable', 'the disk is read-only')
    await failingPass()
    expect(events()).toEqual(['alert disk_nearly_full', 'alert disk_unwritable'])
  })
})
