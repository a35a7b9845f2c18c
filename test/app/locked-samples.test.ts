import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Database as Sqlite } from '../../src/db/sqlite.ts'
import { testApp } from '../support/app.ts'
import { countEventLoopIterations } from '../support/event-loop-iterations.ts'

test('while another process holds the lock of samples.db the event loop goes on, and samples are written once it is released', async () => {
  const nines = await testApp()
  await nines.join('ada')
  const { samples } = nines.app
  const other = new Sqlite(join(nines.dataDir, 'samples.db'))
  const series = () => other.prepare('select count(*) from series').pluck().get()
  other.exec('begin immediate')
  samples.append(1, [['__name__', 'up']], nines.clock.now(), 1)
  using turns = countEventLoopIterations()
  const written = samples.flushCooperatively()
  await Bun.sleep(50)
  expect(turns.count()).toBeGreaterThan(10)
  expect(series()).toBe(0)
  other.exec('rollback')
  await written
  expect(series()).toBe(1)
  other.close()
  await nines.close()
})
