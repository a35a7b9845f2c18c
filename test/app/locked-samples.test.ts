import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Database as Sqlite } from '../../src/db/sqlite.ts'
import { joinedApp } from '../support/reused-app.ts'
import { countEventLoopIterations } from '../support/event-loop-iterations.ts'

test('while another process holds the lock of samples.db the event loop goes on, and samples are written once it is released', async () => {
  const nines = await joinedApp()
  const { samples } = nines.app
  const other = new Sqlite(join(nines.dataDir, 'samples.db'))
  const series = () => other.prepare('select count(*) from series').pluck().get()
  other.exec('begin immediate')
  samples.append(1, [['__name__', 'up']], nines.clock.now(), 1)
  using turns = countEventLoopIterations()
  const written = samples.flushCooperatively()
  let isWritten = false
  void written.then(() => (isWritten = true))
  while (turns.count() < 20) await turn()
  expect(isWritten).toBe(false) // a flush that blocks has given up by the first of these turns
  expect(series()).toBe(0)
  other.exec('rollback')
  await written
  expect(series()).toBe(1)
  other.close()
  await nines.close()
})
