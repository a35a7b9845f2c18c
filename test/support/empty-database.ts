import { afterEach, beforeEach } from 'bun:test'
import { rmSync } from 'node:fs'
import { type Database, openDatabase } from '../../src/db/open.ts'
import { newDataDir } from './app.ts'

/** An empty database, created anew for each test of the file. The getters return the connections of the running test. */
export function emptyDatabase(): Pick<Database, 'read' | 'write' | 'groupCommit' | 'version'> & { dataDir: string } {
  let dataDir: string
  let db: Database
  beforeEach(() => {
    dataDir = newDataDir()
    db = openDatabase({ dataDir })
  })
  afterEach(async () => {
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    get read() {
      return db.read
    },
    get write() {
      return db.write
    },
    get groupCommit() {
      return db.groupCommit
    },
    version: () => db.version(),
    get dataDir() {
      return dataDir
    },
  }
}
