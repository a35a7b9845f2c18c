import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { createListFiring } from '../../../src/notifications/alerts/firing.ts'
import { testApp } from '../../support/app.ts'
import { countingReads } from '../../support/counting-reads.ts'
import { checkout } from '../../support/slo-calls.ts'

test('many firing alerts are read in parts, each once and the newest first', async () => {
  const nines = await testApp()
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', checkout)
  const { clock, db } = nines.app
  await sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2500)
    insert into alerts (organization_id, slo_id, name, severity, began_at) select 1, 1, 'budget:' || n, 'warning', n from numbers
  `.execute(db.write)
  const { db: read, count } = countingReads(db.read)
  const alerts = await createListFiring({ clock, db: { ...db, read } })(1)
  expect(alerts.map(({ sinceSeconds }) => sinceSeconds)).toEqual(Array.from({ length: 2500 }, (_, at) => 2500 - at))
  expect(count.statements).toBe(3 + 1) // and one for silences
  await nines.close()
})
