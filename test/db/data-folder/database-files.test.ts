import { afterEach, expect, test } from 'bun:test'
import { renameSync, truncateSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { withDatabase } from '../../../src/db/with-database.ts'
import { copyOfTemplate } from '../../support/template-data-dir.ts'
import { closeAll } from '../../support/closing.ts'
import { newFolder } from '../../support/process.ts'

afterEach(closeAll)

const moved = 'nines.db was moved, removed or replaced'
const note = (text: string) => sql`insert into notes values (${text})`

test('a command beside the server fails where the data folder is moved before it has written', async () => {
  const dataDir = await copyOfTemplate()
  const aside = join(newFolder(), 'aside')
  await withDatabase(dataDir, ({ write }) => sql`create table notes (text text) strict`.execute(write))
  const beside = withDatabase(dataDir, async ({ write }) => {
    renameSync(dataDir, aside)
    await note('lost').execute(write)
  })
  await expect(beside).rejects.toThrow(moved)
  await withDatabase(aside, async ({ read }) => {
    expect((await sql`select text from notes`.execute(read)).rows).toEqual([])
  })
})

test('statements that read go on where the data folder is elsewhere, also on the connection that writes', async () => {
  const dataDir = await copyOfTemplate()
  await withDatabase(dataDir, async ({ read, write, groupCommit, assertInPlace }) => {
    renameSync(dataDir, join(newFolder(), 'aside'))
    for (const db of [read, write]) expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
    await expect(groupCommit(async () => {})).rejects.toThrow(moved)
    expect(assertInPlace).toThrow(moved)
  })
})

test('a log that was cut takes no write, and one that a checkpoint has cut takes them', async () => {
  const dataDir = await copyOfTemplate()
  await withDatabase(dataDir, async ({ write, groupCommit }) => {
    await sql`create table notes (text text) strict`.execute(write)
    await sql`pragma wal_checkpoint(truncate)`.execute(write)
    await note('kept').execute(write)
    truncateSync(join(dataDir, 'nines.db-wal'), 100)
    const cut = 'nines.db-wal was moved, removed or replaced'
    await expect(note('lost').execute(write)).rejects.toThrow(cut)
    await expect(groupCommit(async (trx) => void (await note('lost').execute(trx)))).rejects.toThrow(cut)
  })
})

test.each([
  ['empty', 0],
  ['half of it', 0.5],
])('a log that something else cuts to %s while a transaction is under way takes no commit', async (_, share) => {
  const dataDir = await copyOfTemplate()
  await withDatabase(dataDir, async ({ write }) => {
    await sql`create table notes (text text) strict`.execute(write)
    for (let n = 0; n < 20; n += 1) await note(`kept ${n}`).execute(write)
    const log = join(dataDir, 'nines.db-wal')
    const cutShort = write.transaction().execute(async (trx) => {
      await note('lost').execute(trx)
      truncateSync(log, Math.floor(statSync(log).size * share))
    })
    await expect(cutShort).rejects.toThrow('nines.db-wal was moved, removed or replaced')
    await expect(note('lost, too').execute(write)).rejects.toThrow('nines.db-wal was moved, removed or replaced')
  })
})

test('a log that a size limit has cut within a frame takes commits', async () => {
  const dataDir = await copyOfTemplate()
  await withDatabase(dataDir, async ({ write }) => {
    await sql`pragma journal_size_limit = 300000`.execute(write)
    await sql`create table notes (text text) strict`.execute(write)
    for (let n = 0; n < 300; n += 1) await note(`${n}`.padEnd(2000, '\0')).execute(write)
    await sql`pragma wal_checkpoint(restart)`.execute(write)
    for (let n = 0; n < 300; n += 1) await note('after').execute(write)
  })
})
