import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd, describeOnBed } from '../support/kit.ts'
import { isSeen, isWithin, mishaps, play, type Played } from './alerts-play.ts'
import { atMinute, type ServiceName, serviceNames, allTraffic } from './alerts-traffic.ts'
import { alertsOf, type TrueAlert } from './alerts-truth.ts'

const [fast, slow, slower] = ['burn_rate:3600:300', 'burn_rate:21600:1800', 'burn_rate:86400:7200']
const products = 'ntfy teams gotify matrix apprise pushover google_chat'
const channels = `email chat_hook_a chat_hook_b bot_chat webhook alertmanager incident_a incident_b incident_b_jsm ${products}`
const relays = new Set(['email', 'teams', 'apprise'])

/**
 * Writes three hours of known traffic with an incident to a real Prometheus. nines is killed twice, its source is gone for a
 * while, and there is a receiver for every channel type.
 */
describeOnBed('an incident', () => {
  const traffic = allTraffic()
  let cleanUp: (() => Promise<void>) | undefined
  let played: Played
  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'nines-alerts-'))
    cleanUp = cleanUpAtTheEnd(dir)
    played = await play(dir, traffic)
  }, 120_000)
  afterAll(() => cleanUp?.(), 30_000)

  /** Alerts that follow from the samples at the times when nines evaluates. */
  const expected = (service: ServiceName) => alertsOf(traffic[service].sampled, isSeen)

  function only(alerts: TrueAlert[], wanted: string): { began: number; criticalAt: number; ended: number } {
    const [alert, ...others] = alerts.filter(({ name }) => name === wanted)
    if (!alert || others.length > 0) throw new Error(`not one alert ${wanted}`)
    return { began: alert.began, criticalAt: alert.criticalAt ?? NaN, ended: alert.ended ?? NaN }
  }

  const heardBy = (channel: string) =>
    played.heard[channel]?.map(({ minute, event, slo, alert }) => `${minute} ${event} ${slo} ${alert}`)

  test('raises the alerts that arithmetic finds in the samples, at the same minutes, and no other', () => {
    const said = played.alerts.map(({ slo_name, name, severity, began_at, ended_at }) =>
      [slo_name, name, severity, began_at, ended_at].join(' '),
    )
    const wanted = serviceNames.flatMap((slo) =>
      expected(slo).map(({ name, severity, began, ended }) =>
        [slo, name, severity, timeOf(began), ended === null ? null : timeOf(ended)].join(' '),
      ),
    )
    expect(said.toSorted()).toEqual(wanted.toSorted())
  })

  // A window ends at a whole minute and does not contain events since the last scrape before it.
  test('is found by the samples within a minute of what really happened', () => {
    for (const service of serviceNames) {
      const [happened, sampled] = [alertsOf(traffic[service].events), alertsOf(traffic[service].sampled)]
      expect(sampled.map(({ name }) => name)).toEqual(happened.map(({ name }) => name))
      sampled.forEach(({ began, ended }, place) => {
        expect([0, 1]).toContain(began - (happened[place]?.began ?? NaN))
        expect([0, 1]).toContain((ended ?? 0) - (happened[place]?.ended ?? 0))
      })
    }
  })

  test('is notified once to every channel by the fastest tier that saw it, its end too, and nothing else', () => {
    const [page, burn] = [only(expected('checkout'), fast), only(expected('search'), slow)]
    const expectedAt = (notifiedAt: number, isKeyed: boolean) => [
      `${notifiedAt} alert checkout ${isKeyed ? 'critical' : ''}`,
      `${page.ended} recovery checkout ${isKeyed ? 'critical' : ''}`,
      `${burn.began} alert search ${isKeyed ? 'critical' : ''}`,
      `${burn.ended} recovery search ${isKeyed ? 'critical' : ''}`,
    ]
    const others = channels.split(' ').filter((channel) => channel !== 'webhook')
    const heard = others.map((channel) => ({ channel, heard: heardBy(channel) }))
    // This chat refused the first attempt, and nines was killed before the second.
    const notifiedAt = (channel: string) => (channel === 'chat_hook_a' ? mishaps.killed[1] + 1 : page.began)
    const isKeyed = (channel: string) => channel.startsWith('incident_')
    expect(heard).toEqual(
      others.map((channel) => ({ channel, heard: expectedAt(notifiedAt(channel), isKeyed(channel)) })),
    )
  })

  test('has what the budget lost in its own messages, also at the channel that asks for thresholds', () => {
    const checkout = expected('checkout')
    const [status, page] = [only(checkout, 'status'), only(checkout, fast)]
    const burn = only(expected('search'), slow)
    expect(heardBy('webhook')).toEqual([
      `${status.criticalAt} alert checkout status`,
      `${page.began} alert checkout ${fast}`,
      `${page.ended} recovery checkout ${fast}`,
      `${status.ended} recovery checkout status`,
      `${burn.began} alert search ${slow}`,
      `${burn.ended} recovery search ${slow}`,
    ])
    expect(status.criticalAt).toBeGreaterThan(status.began) // a warning first, although it did not subscribe to warnings
  })

  test('is notified with the minutes in which its alert, or itself, began and ended', () => {
    for (const { slo, alert, event, began, ended } of played.heard['webhook'] ?? []) {
      const known = played.alerts.find(({ slo_name, name }) => slo_name === slo && name === alert)
      const times = [known?.began_at, event === 'alert' ? null : known?.ended_at]
      expect([slo, alert, began, ended]).toEqual([slo, alert, ...times])
    }
    const incidents = Map.groupBy(played.heard['alertmanager'] ?? [], ({ slo }) => slo)
    for (const [opened, recovered] of incidents.values()) {
      expect([opened?.event, opened?.ended, recovered?.event]).toEqual(['alert', null, 'recovery'])
      expect(recovered?.began).toBe(opened?.began)
      expect(Date.parse(recovered?.ended ?? '')).toBeGreaterThan(Date.parse(opened?.began ?? ''))
    }
  })

  test('leaves no incident open at any receiver', () => {
    const { webhook, ...others } = played.incidents
    expect([webhook, ...Object.values(others)].flat()).toEqual([])
  })

  test('is not notified by slower tiers, which saw it too and went on for longer', () => {
    const [page, ...others] = [fast, slow, slower].map((name) => only(expected('checkout'), name))
    for (const { began, ended } of others) {
      expect(began).toBeGreaterThan(page?.began ?? NaN)
      expect(began).toBeLessThan(page?.ended ?? NaN)
      expect(ended).toBeGreaterThan((page?.ended ?? NaN) + 20)
    }
  })

  test('begins and ends nothing while the source is gone, but in the minute in which it is back', () => {
    const [first, last] = mishaps.sourceGone
    expect(played.minutesWithoutAnswer).toEqual(Array.from({ length: last - first + 1 }, (_, n) => first + n))
    const [end, begin] = [
      only(alertsOf(traffic.checkout.sampled), 'status').ended,
      only(alertsOf(traffic.search.sampled), slow).began,
    ]
    expect([end, begin].map((minute) => isWithin(mishaps.sourceGone, minute))).toEqual([true, true])
    expect(only(expected('checkout'), 'status').ended).toBe(last + 1)
    expect(only(expected('search'), slow).began).toBe(last + 1)
  })

  test('is in the history with every notification, each delivered and one of them at the second attempt', () => {
    const { notifications } = played
    expect(notifications).toHaveLength(Object.values(played.heard).flat().length)
    expect(new Set(notifications.map(({ idempotency_key: key }) => key)).size).toBe(notifications.length)
    for (const { channel_type: type, status } of notifications) {
      expect([type, status]).toEqual([type, relays.has(type) ? 'sent' : 'delivered'])
    }
    const retried = notifications.filter(({ retry_count }) => retry_count > 0)
    expect(retried).toMatchObject([{ channel_type: 'chat_hook_a', retry_count: 1 }])
  })
})

function timeOf(minutes: number): string {
  return new Date(atMinute(minutes) * 1000).toISOString()
}
