import { describe, expect, test } from 'bun:test'
import {
  burnBeside,
  incidentAmong,
  rankOf,
  rateOf,
  type State,
  type Stated,
  stateLine,
  states,
} from '../../../../src/web/page/slo/states.ts'

const now = Date.parse('2026-11-22T14:00:00Z')
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()
const stated = (state: State, change: Partial<Stated> = {}): Stated => ({
  state,
  state_since: ago(480),
  state_reason: null,
  burn_rate_now: null,
  ...change,
})
const check = (seconds: number) => ({ at: ago(seconds), probe: 'site', ok: true, duration_ms: 12, error: null })
/** The words, with the time of day replaced: it is that of the browser. */
const line = (of: Stated) => stateLine(of, now).replace(/\b\d\d:\d\d\b/, '13:52')

describe('a state in words', () => {
  test.each<[Stated, string]>([
    [stated('down', { state_reason: 'HTTP 503' }), 'Down 8\u2009min: HTTP 503'],
    [stated('down', { state_since: ago(59) }), 'Down'],
    [stated('down', { state_since: null }), 'Down'],
    [stated('burning_fast', { burn_rate_now: 171.4 }), 'Burning 171× since 13:52'],
    [stated('burning', { burn_rate_now: 3.2, tierRate: 4 }), 'Burning 3.2× since 13:52'],
    [stated('burning', { burn_rate_now: 0.2, tierRate: 4 }), 'Burning 4.0× since 13:52'],
    [stated('burning', { burn_rate_now: 0.2 }), 'Burning since 13:52'],
    [stated('burning_fast', { state_since: null }), 'Burning'],
    [stated('recovering', { state_since: ago(240) }), 'Up again for 4\u2009min'],
    [stated('recovering', { state_since: ago(10) }), 'Up again'],
    [stated('spent'), 'Budget spent'],
    [stated('unknown', { state_reason: 'source_error', was: 'down' }), 'No answer since 13:52 (was down)'],
    [stated('unknown', { state_reason: 'no_traffic' }), 'No traffic since 13:52'],
    [stated('unknown', { state_reason: 'no_data' }), 'No data since 13:52'],
    [stated('unknown', { state_reason: 'stale', was: 'burning' }), 'No evaluation since 13:52 (was burning)'],
    [stated('unknown', { state_reason: 'a_new_one', state_since: null }), 'Not known'],
    [stated('measuring', { state_since: null }), 'First figures soon'],
    [stated('measuring', { checks: { next_at: ago(-20), checks: [] } }), 'First figures at 13:52'],
    [stated('measuring', { checks: { next_at: ago(-20), checks: [check(95)] } }), 'First figures soon'],
    [stated('measuring', { checks: { next_at: ago(-20), checks: [check(2), check(9)] } }), 'First figures in a moment'],
    [stated('measuring', { checks: { next_at: null, checks: [] } }), 'First figures soon'],
    [stated('ok', { burn_rate_now: 1.9 }), 'On track'],
    [stated('ok', { state_reason: 'HTTP 503' }), 'Checking again: HTTP 503'],
    [stated('unknown', { state_reason: 'paused' }), 'Paused since 13:52'],
    [stated('unknown', { state_reason: 'deleted' }), 'Deleted since 13:52'],
  ])('%p is %p', (of, words) => {
    expect(line(of)).toBe(words)
  })
})

test('the burn rate of a firing tier is named only where the SLO burns by that alone', () => {
  const rates = (['burning', 'recovering', 'ok'] as const).map((state) =>
    rateOf(stated(state, { burn_rate_now: 0, tierRate: 200 })),
  )
  expect(rates).toEqual([200, 0, 0])
  expect(rateOf(stated('burning_fast', { burn_rate_now: 171, tierRate: 15 }))).toBe(171)
})

test('a state has one colour: critical what is down or burns fast, warning what burns or is spent', () => {
  const tones = Object.fromEntries(Object.entries(states).map(([state, { tone }]) => [state, tone]))
  expect(tones).toEqual({
    down: 'critical',
    burning_fast: 'critical',
    burning: 'warning',
    recovering: 'healthy',
    spent: 'warning',
    unknown: 'unknown',
    measuring: 'unknown',
    maintenance: 'unknown',
    ok: 'healthy',
    paused: 'unknown',
  })
})

test('what was down or burned when nothing new was known any more comes before what burns slowly', () => {
  const ranked = [
    stated('unknown', { state_reason: 'paused' }),
    stated('ok'),
    stated('measuring'),
    stated('unknown'),
    stated('spent'),
    stated('recovering'),
    stated('burning'),
    stated('unknown', { was: 'down' }),
    stated('burning_fast'),
    stated('down'),
  ]
  expect(ranked.toSorted((a, b) => rankOf(a) - rankOf(b))).toEqual(ranked.toReversed())
})

test('an open incident is down before it is burning; alerts of budget and status are none', () => {
  const names = (...all: string[]) => incidentAmong(all.map((name) => ({ name })))
  expect([names('burn_rate:3600:300', 'down'), names('burn_rate:3600:300'), names('budget:25', 'status')]).toEqual([
    'down',
    'burning',
    null,
  ])
})

test('beside an SLO that burns stands the rate of its tier, and that of now until its tier is read', () => {
  const burning = stated('burning_fast', { burn_rate_now: 38 })
  const tier = { state: 'burning', rate: 20, window_seconds: 3600, factor: 14.4, severity: 'page' } as const
  expect(burnBeside(burning, tier)).toEqual({ rate: 20, windowSeconds: 3600 })
  expect(burnBeside(burning, { ...tier, state: 'rising' })).toEqual({ rate: 38, windowSeconds: null })
  expect(burnBeside(burning, null)).toEqual({ rate: 38, windowSeconds: null })
  expect(burnBeside(stated('burning'), null)).toEqual({ rate: null, windowSeconds: null })
})
