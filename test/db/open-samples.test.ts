import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSamples } from '../../src/db/open-samples.ts'

test('the bytes of the chunks of each organization are counted', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-samples-'))
  try {
    const file = openSamples(dataDir)
    const held = () => file.prepare('select * from chunk_bytes').raw().all()
    file.exec("insert into series values (1, 7, 'a'), (2, 7, 'b'), (3, 8, 'c')")
    file.exec("insert into chunks values (1, 0, 9, x'0102'), (2, 0, 9, x'03'), (3, 0, 9, x'04050607')")
    expect(held()).toEqual([
      [7, 3],
      [8, 4],
    ])
    file.exec("insert into chunks values (1, 10, 19, x'010203'); delete from chunks where series_id = 2")
    expect(held()).toEqual([
      [7, 5],
      [8, 4],
    ])
    file.close()
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})

test('a file of samples that another nines wrote is refused by its name, and left as it is', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-samples-'))
  try {
    const file = openSamples(dataDir)
    file.pragma('user_version = 2')
    file.close()
    const refused = `${join(dataDir, 'samples.db')}: written by another nines (version 2)`
    for (const _ of ['once', 'again']) expect(() => openSamples(dataDir)).toThrow(refused)
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
