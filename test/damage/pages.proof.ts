import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { noise, overwritePage, pagesIn, zeros } from '../support/damage.ts'
import { damageHandlingFaults, type UsedDataDir, usedFolder } from '../support/damaged-world.ts'

let used: UsedDataDir
beforeAll(async () => {
  used = await usedFolder(4)
}, 60_000)
afterAll(() => used.remove())

describe.each(['nines.db', 'samples.db'])('of %s in turn', (name) => {
  test.each([
    ['every page', 'noise', 1, noise],
    ['every third page', 'zeros', 3, zeros],
  ] as const)(
    '%s is overwritten with %s, and nines says what is true, or that it is damaged',
    async (_pages, _fill, step, fill) => {
      const faults: string[] = []
      for (let page = 1; page <= pagesIn(join(used.dataDir, name)); page += step) {
        const found = await damageHandlingFaults(used, (dataDir) => overwritePage(join(dataDir, name), page, fill))
        faults.push(...found.map((fault) => `page ${page}: ${fault}`))
      }
      expect(faults).toEqual([])
    },
    600_000,
  )
})
