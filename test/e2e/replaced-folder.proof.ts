import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { closeAll } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'
import { seeded } from '../support/seeded.ts'
import {
  clients,
  halt,
  type Journal,
  type Load,
  missing,
  moveAway,
  setUp,
  start,
  startLoad,
  swaps,
} from './swap-world.ts'

afterEach(closeAll)

/** Number of swaps; 100 take a minute. */
const rounds = Number(process.env['NINES_SWAPS'] ?? 20)
const random = seeded(Number(process.env['NINES_SEED'] ?? 5))

test(
  'a data folder that is moved, removed, replaced or swapped back at any moment loses nothing acknowledged',
  async () => {
    const dataDir = join(newFolder(), 'data')
    const token = await setUp(dataDir)
    const journal: Journal = { slos: [], teams: [], samples: [] }
    let returns = 0
    for (let round = 1; round <= rounds; round += 1) {
      const nines = await start(dataDir)
      expect(await missing(nines, token, dataDir, journal)).toEqual([])
      const load = startLoad(nines, token, round, journal)
      const sinceLast = 1 + Math.floor(random() * 40)
      const isEnough = (seen: Load['seen']) => seen.acknowledged >= sinceLast && seen.acknowledgedSamples > 0
      await load.until(isEnough)
      if (random() < 0.5) {
        const { back } = moveAway(dataDir)
        load.begin()
        const refusals = Math.floor(random() * (clients.length + 1))
        await load.until(({ refused }) => refused.size >= refusals)
        back()
        load.begin()
        await load.until(isEnough)
        returns += 1
      }
      const swap = swaps[round % swaps.length] ?? swaps[0]
      await Bun.sleep(random() * 5) // a random time, during a commit or between two
      await halt(nines)
      swap.take(dataDir)
      load.begin()
      nines.kill('SIGCONT')
      // the first answer may be from before
      await load.until(({ answers }) => clients.every((client) => (answers.get(client) ?? 0) > 1))
      const { body } = await nines.call('GET', '/api/v1/health')
      expect([swap.name, body.status, body.conditions[0]?.name]).toEqual([
        swap.name,
        'degraded',
        'data_folder_replaced',
      ])
      expect([...load.seen.refused].toSorted()).toEqual(clients.toSorted())
      const isKilled = random() < 0.5
      nines.kill(isKilled ? 'SIGKILL' : 'SIGTERM')
      await load.over
      expect(await nines.exited).toBe(isKilled ? 128 + 9 : 0)
      expect(load.seen.wrong).toEqual([])
      swap.after(dataDir)
    }
    const nines = await start(dataDir)
    expect(await missing(nines, token, dataDir, journal)).toEqual([])
    const acknowledged = Object.values(journal).map((all) => all.length)
    process.stdout.write(
      `${rounds} swaps, ${returns} returns, acknowledged SLOs, teams, samples: ${acknowledged.join(', ')}\n`,
    )
    for (const count of acknowledged) expect(count).toBeGreaterThan(rounds)
  },
  rounds * 10_000,
)
