import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFilled } from '../support/nines-here.ts'

/** `copy`: copy of the seeded database, for the servers that nines is compared with. */
type Seeded = { dataDir: string; copy: string; token: string; sloId: number }

const slos = 100
const agoMs = 1_200_000 // keeps `age_seconds` at four digits

/** Creates a data folder of nines with 100 SLOs and 30 days of each. */
export async function seed(secret: string): Promise<Seeded> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const { app, token, ids } = await openFilled({ slos, exhausted: 5, agoMs }, { DATA_DIR: dataDir, JWT_SECRET: secret })
  await app.close()
  const copy = join(dataDir, 'copy.db')
  copyFileSync(join(dataDir, 'nines.db'), copy)
  return { dataDir, copy, token, sloId: ids[0] ?? 0 }
}
