import { afterAll, beforeAll, expect, test } from 'bun:test'
import { exclusionRulesOf } from '../../../src/evaluation/corrections/apply-corrections.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await testApp()
})
afterAll(() => nines?.close())

const slo = { id: 1, organization_id: 1, team_id: 1, labels: '{}', service_hours: null, composite: null }

test('corrections that could not be read are read again by the next evaluation', async () => {
  let isFailing = true
  const db = {
    write: nines.app.db.write,
    get read() {
      if (isFailing) throw new Error('disk I/O error')
      return nines.app.db.read
    },
  }
  await expect(exclusionRulesOf(db, slo)).rejects.toThrow('disk I/O error')
  isFailing = false
  expect(await exclusionRulesOf(db, slo)).toBeNull()
})
