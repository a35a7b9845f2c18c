import { type Evaluation, putEvaluations } from '../../../src/evaluation/evaluation-store.ts'
import { type Answer, type TestApp, testStartMs } from '../../support/app.ts'
import { evaluation, testStartSeconds } from '../../support/evaluations.ts'
import { reusedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'

export type Alerting = Awaited<ReturnType<typeof alerting>>

/** An organization with SLO 1 and the channels 1 and 2, in which tests set the result of each minute's evaluation. */
export async function alerting() {
  const { nines, result: ada } = await reusedApp('alerting', {}, prepare)
  let atSeconds = testStartSeconds

  return {
    nines,
    ada,
    close: nines.close,
    post: (path: string, body: object) => post(nines, path, body),
    put: (path: string, body: object) => nines.call('PUT', `/api/v1${path}`, body),
    /** Creates a standing rule of SLO 1 and returns its id. */
    rule: async (alertType: string, change: object = {}): Promise<number> => {
      const rule = { slo_id: 1, channel_id: 1, priority: 'high', alert_type: alertType, notify: false, ...change }
      const { body } = await post(nines, '/notifications/rules', rule)
      return body.data.rule_id
    },
    /** Stores evaluations of the next minute, of one SLO or several. Returns the queued notifications in short form. */
    async minute(...found: Partial<Evaluation>[]): Promise<string[]> {
      nines.clock.advance(60_000)
      atSeconds += 60
      const before = await outbox(nines)
      const evaluations = found.map((one) => evaluation({ atSeconds, burnRates: [], budgetUsed: 10, ...one }))
      await nines.app.db.write.transaction().execute(async (trx) => {
        await putEvaluations(trx, evaluations)
        await nines.app.alertRaiser.raiseAlerts(trx, evaluations)
      })
      return (await outbox(nines)).slice(before.length).map(inWords)
    },
    /** Stores the same result for several minutes. */
    async minutes(count: number, found: Partial<Evaluation>): Promise<string[]> {
      const told: string[] = []
      for (let n = 0; n < count; n += 1) told.push(...(await this.minute(found)))
      return told
    },
    /** Lets minutes pass in which nothing is evaluated. */
    async nothing(count: number): Promise<void> {
      nines.clock.advance(count * 60_000)
      atSeconds += count * 60
    },
    outbox: () => outbox(nines),
    alerts: () => nines.app.db.read.selectFrom('alerts').selectAll().orderBy('id').execute(),
    /** Sets the outcome of all notifications so far. */
    settle: (status: 'delivered' | 'failed') =>
      nines.app.db.write.updateTable('notifications').set({ status, updated_at: nines.clock.now() }).execute(),
  }
}

async function prepare(nines: TestApp): Promise<string> {
  const ada = await nines.join('ada')
  await post(nines, '/slos', checkout)
  for (const name of ['first', 'second']) {
    const configuration = { webhook_url: `http://127.0.0.1:9/${name}` }
    await post(nines, '/notifications/channels', { name, channel_type: 'webhook', configuration })
  }
  return ada
}

async function post(nines: TestApp, path: string, body: object): Promise<Answer> {
  const answer = await nines.call('POST', `/api/v1${path}`, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer
}

export function outbox(nines: TestApp) {
  return nines.app.db.read.selectFrom('notifications').selectAll().orderBy('id').execute()
}

type Told = Awaited<ReturnType<typeof outbox>>[number]

/** `1 alert violation status`: channel, event, alert type and the alert's name; then the status once the notification is over. */
function inWords({ channel_id, event, alert_type, metadata, status }: Told): string {
  const words = [channel_id, event, alert_type, JSON.parse(metadata).alert?.name]
  const isOpen = status === 'pending' || status === 'sending' // the delivery of the appliance runs, and its receivers refuse
  return [...words, ...(isOpen ? [] : [status])].join(' ')
}

/** Burn rate tiers of an SLO of 30d in an evaluation; `firing`: by the hours of their long window. */
export function tiers(firing: Partial<Record<1 | 6 | 24 | 72, boolean | null>>): Pick<Evaluation, 'burnRates'> {
  const all = [
    [1, 300, 14.4, 'page'],
    [6, 1800, 6, 'page'],
    [24, 7200, 3, 'ticket'],
    [72, 21_600, 1, 'ticket'],
  ] as const
  const burnRates = all.map(([hours, short_seconds, factor, severity]) => {
    const fires = firing[hours] === undefined ? false : firing[hours]
    const rate = fires === null ? null : fires ? factor + 1 : 0
    const events = { min_events: 0, long_bad_events: null, enabled: true }
    return {
      severity,
      long_seconds: hours * 3600,
      short_seconds,
      factor,
      long: rate,
      short: rate,
      firing: fires,
      ...events,
    }
  })
  return { burnRates }
}

export const critical = { status: 'critical', current: 90 } as const
export const warning = { status: 'warning', current: 99.85 } as const
export const healthy = { status: 'healthy' } as const
export const unknown = { status: 'unknown', current: null, reason: 'no_data', budgetUsed: null } as const
export { testStartMs }
