import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { noise, overwritePage, pagesIn, zeros } from '../support/damage.ts'
import { damageHandlingFaults, type UsedDataDir, usedFolder } from '../support/damaged-world.ts'

let used: UsedDataDir
beforeAll(async () => {
  used = await usedFolder(4)
}, 60_000)
afterAll(() => used.remove())

describe.each(['nines.db', 'samples.db'])('every page of %s in turn', (name) => {
  test.each([
    ['noise', noise],
    ['zeros', zeros],
  ] as const)(
    'is overwritten with %s, and nines says what is true, or that it is damaged',
    async (_, fill) => {
      const faults: string[] = []
      for (let page = 1; page <= pagesIn(join(used.dataDir, name)); page += 1) {
        const found = await damageHandlingFaults(used, (dataDir) => overwritePage(join(dataDir, name), page, fill))
        faults.push(...found.map((fault) => `page ${page}: ${fault}`))
      }
      expect(faults).toEqual([])
    },
    600_000,
  )
})
