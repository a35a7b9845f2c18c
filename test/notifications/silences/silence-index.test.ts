import { describe, expect, test } from 'bun:test'
import { isSilenced } from '../../../src/notifications/silences/silence-index.ts'
import { readLabels } from '../../../src/slos/labels.ts'

const silence = {
  id: 1,
  organization_id: 1,
  slo_id: null,
  labels: null,
  starts_at: 0,
  until: 1,
  comment: 'x',
  created_by: null,
  created_at: 0,
}
const slo = (labels: object = {}, more: object = {}) => ({
  id: 7,
  organization_id: 1,
  labels: JSON.stringify(labels),
  ...more,
})
const ofLabels = (labels: object) => ({ ...silence, labels: JSON.stringify(labels) })
const ofSlo = (slo_id: number) => ({ ...silence, slo_id })

describe('an SLO', () => {
  test('is silenced by a silence of its own, and by no other’s', () => {
    expect(isSilenced(slo(), [])).toBe(false)
    expect(isSilenced(slo(), [ofSlo(7)])).toBe(true)
    expect(isSilenced(slo(), [ofSlo(8)])).toBe(false)
    expect(isSilenced(slo(), [ofSlo(8), ofLabels({ a: 'b' }), ofSlo(7)])).toBe(true)
  })

  test.each([
    [{ team: 'a' }, { team: 'a' }, true],
    [{ team: 'a' }, { team: 'a', tier: '1' }, true],
    [{ team: 'a', tier: '1' }, { tier: '1', team: 'a' }, true],
    [{ team: 'a', tier: '1' }, { team: 'a' }, false],
    [{ team: 'a' }, {}, false],
    [{ team: 'a' }, { team: 'A' }, false],
    [{ team: 'a' }, { team: 'ab' }, false],
    [{ team: 'a' }, { Team: 'a' }, false],
    [{ constructor: 'a' }, {}, false],
    [{ toString: 'a' }, { toString: 'a' }, true],
    [readLabels(JSON.parse('{"__proto__": "a"}')), {}, false],
    [readLabels(JSON.parse('{"__proto__": "a"}')), readLabels(JSON.parse('{"__proto__": "a"}')), true],
  ])('%# silenced by the labels %j, it has %j: %p', (labels, own, expected) => {
    expect(isSilenced(slo(own), [ofLabels(labels)])).toBe(expected)
  })

  test('is not silenced by another organization', () => {
    const foreign = slo({ team: 'a' }, { organization_id: 2 })
    expect(isSilenced(foreign, [ofSlo(7), ofLabels({ team: 'a' })])).toBe(false)
  })
})
