import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSamples } from '../../src/db/open-samples.ts'

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
