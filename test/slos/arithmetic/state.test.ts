import { describe, expect, test } from 'bun:test'
import { lastFailingRun, stateOf, type StateInput } from '../../../src/slos/arithmetic/state.ts'

const recent = { seconds: 300, rate: 0.2, events: 500, badEvents: 0, isBeyondChance: false, isCovered: true }
const steady: StateInput = {
  before: 'ok',
  unknownReason: null,
  isNew: false,
  isDown: null,
  firing: [],
  recent,
  isBurningFast: false,
  isAfterOutage: false,
  hasIncident: false,
  usualEvents: null,
  isSpent: false,
}
const state = (change: Partial<StateInput>) => stateOf({ ...steady, ...change }).state
const burning = (rate: number | null) => ({ ...recent, rate })

describe('the state of an SLO', () => {
  test.each<[string, Partial<StateInput>]>([
    ['ok', {}],
    ['spent', { isSpent: true }],
    ['ok', { recent: null }],
    ['measuring', { unknownReason: 'no_data', isNew: true }],
    ['unknown', { unknownReason: 'no_data' }],
    ['unknown', { unknownReason: 'source_error', hasIncident: true, firing: ['page'] }],
    ['down', { isDown: true, unknownReason: 'source_error' }],
    ['down', { isDown: true, firing: ['page'], isSpent: true }],
    ['burning_fast', { firing: ['ticket', 'page'] }],
    ['burning_fast', { isBurningFast: true }],
    ['burning', { firing: ['ticket'], isSpent: true }],
  ])('is %s for %p', (word, change) => {
    expect(state(change)).toBe(word as ReturnType<typeof state>)
  })

  test('stays burning fast, without an incident, until the last minutes burn at most as fast as allowed', () => {
    expect(state({ before: 'burning_fast', recent: burning(1.01) })).toBe('burning_fast')
    expect(state({ before: 'burning_fast', recent: burning(1) })).toBe('ok')
    expect(state({ before: 'burning_fast', recent: burning(5), isAfterOutage: true })).toBe('ok')
  })

  test('recovers from an incident once the last minutes burn at most as fast as allowed, and not before', () => {
    expect(state({ hasIncident: true, before: 'burning_fast', recent: burning(1.01) })).toBe('burning_fast')
    expect(state({ hasIncident: true, before: 'burning', recent: burning(1.01) })).toBe('burning')
    expect(state({ hasIncident: true, before: 'burning', recent: burning(1) })).toBe('recovering')
  })

  test('recovers with the checks, whatever the last minutes burned', () => {
    expect(state({ hasIncident: true, before: 'down', isDown: false, recent: burning(700) })).toBe('recovering')
  })

  test('is unknown without a tenth of the traffic from before the incident', () => {
    const few = (events: number) =>
      ({ hasIncident: true, before: 'burning_fast', usualEvents: 500, recent: { ...recent, events } }) as const
    expect(stateOf({ ...steady, ...few(49) })).toEqual({ state: 'unknown', reason: 'no_traffic' })
    expect(state(few(50))).toBe('recovering')
    expect(stateOf({ ...steady, hasIncident: true, recent: burning(null) }).reason).toBe('no_traffic')
  })
})

describe('the last failing run', () => {
  const minutes = (...bad: number[]) => bad.map((one, at) => ({ startSeconds: at * 60, good: 100 - one, total: 100 }))

  test('goes back over pauses of up to five minutes', () => {
    expect(lastFailingRun(minutes(0, 9, 0, 0, 0, 0, 0, 9, 0), 99)).toEqual({ beganSeconds: 60, endedSeconds: 480 })
    expect(lastFailingRun(minutes(0, 9, 0, 0, 0, 0, 0, 0, 9), 99)).toEqual({ beganSeconds: 480, endedSeconds: 540 })
  })

  test('does not begin with an occasional failure', () => {
    expect(lastFailingRun(minutes(2, 0, 40, 40), 99)).toEqual({ beganSeconds: 120, endedSeconds: 240 })
  })

  test('includes the minutes within which it began and ended', () => {
    expect(lastFailingRun(minutes(0, 8, 60, 60, 8, 0), 99)).toEqual({ beganSeconds: 60, endedSeconds: 300 })
  })

  test('is none if no minute failed more than allowed', () => {
    expect(lastFailingRun(minutes(1, 1, 0), 99)).toBeNull()
    expect(lastFailingRun([], 99)).toBeNull()
  })
})
