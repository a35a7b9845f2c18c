import { afterEach, expect, test } from 'bun:test'
import type { Evaluation } from '../../../src/evaluation/evaluation-store.ts'
import { opensIncident } from '../../../src/notifications/alerts/alert-name.ts'
import { isInhibited } from '../../../src/notifications/incidents/inhibition.ts'
import { closedAfterSeconds } from '../../../src/notifications/incidents/update-incidents.ts'
import { type Alerting, alerting, tiers } from '../alerts/alerting.ts'
import { seeded } from '../../support/seeded.ts'

let world: Alerting
afterEach(() => world.close())

const recent = { seconds: 300, rate: 0, events: 100, badEvents: 0, isBeyondChance: false, isCovered: true }
const fails = { isFailed: true, status: 'unknown', reason: 'source_error', current: null, recent: null } as const

/** Minutes of which a history is made, each for some minutes in a row. */
const kinds: Record<string, Partial<Evaluation>> = {
  calm: tiers({}),
  page: tiers({ 1: true }),
  pages: tiers({ 1: true, 6: true, 24: true }),
  slower: tiers({ 6: true, 24: true, 72: true }),
  ticket: tiers({ 24: true }),
  unknown: { ...fails, ...tiers({ 1: null, 6: null, 24: null, 72: null }) },
  silent: { ...tiers({}), recent: { ...recent, rate: null, events: 0 } },
  simmering: { ...tiers({}), recent: { ...recent, rate: 2 } },
  down: { outage: { isDown: true, isUnconfirmed: false, sinceSeconds: null, reason: 'HTTP 503' } },
  up: { ...tiers({}), outage: { isDown: false, isUnconfirmed: false, sinceSeconds: null, reason: null } },
}

const active = new Set(['down', 'burning_fast', 'burning'])

test.each([1, 2, 3])(
  'of random history %p each failure belongs to one incident, which ends',
  async (seed) => {
    world = await alerting()
    for (const kind of ['violation', 'burn_rate_too_fast', 'recovery']) await world.rule(kind)
    const { nines } = world
    const random = seeded(seed)
    const names = Object.keys(kinds)
    const slo = await nines.app.db.read.selectFrom('slos').selectAll().executeTakeFirstOrThrow()
    const incidents = () => nines.app.db.read.selectFrom('incidents').selectAll().orderBy('id').execute()
    let calmMinutes = 0

    for (let stretch = 0; stretch < 40; stretch += 1) {
      const name = names[Math.floor(random() * names.length)] ?? 'calm'
      const longest = name === 'calm' || name === 'up' ? 25 : 6
      for (let minute = Math.ceil(random() * longest); minute > 0; minute -= 1) {
        await world.minute(kinds[name] ?? {})
        const nowSeconds = Math.floor(nines.clock.now() / 1000)
        const alerts = await world.alerts()
        const open = (await incidents()).filter(({ closed_at }) => closed_at === null)
        expect(open.length).toBeLessThanOrEqual(1)
        const firing = alerts.filter((alert) => alert.ended_at === null && opensIncident(alert))
        const uninhibited = firing.filter((alert) => !isInhibited(slo, alert, alerts.filter(opensIncident), nowSeconds))
        for (const alert of uninhibited) expect(alert.incident_id).toBe(open[0]?.id ?? 0)
        const [state] = await nines.app.db.read.selectFrom('slo_states').select('state').execute()
        if (uninhibited.length > 0 && name !== 'unknown') expect(active).toContain(state?.state ?? '')
        calmMinutes = state?.state === 'recovering' ? calmMinutes + 1 : 0
        expect(calmMinutes).toBeLessThanOrEqual(closedAfterSeconds / 60)
      }
    }
    await world.minutes(17, kinds['calm'] ?? {})

    const all = await incidents()
    expect(all.every(({ closed_at, close_reason }) => closed_at !== null && close_reason === 'recovered')).toBe(true)
    expect(all.length).toBeGreaterThan(1)
    const rows = (await world.outbox()).filter(({ status }) => status !== 'throttled')
    for (const { id, relapses } of all) {
      const events = rows.filter(({ incident_id }) => incident_id === id).map(({ incident_event }) => incident_event)
      expect(events.filter((event) => event === 'opened')).toEqual(['opened'])
      expect(events[0]).toBe('opened')
      expect(events.at(-1)).toBe('recovered')
      expect(events.filter((event) => event === 'again' || event === 'flapping')).toHaveLength(Math.min(relapses, 3))
      expect(events.filter((event) => event === 'recovered')).toHaveLength(Math.min(relapses, 3) + 1)
    }
  },
  120_000,
)
