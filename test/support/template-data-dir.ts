import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'

/** All processes of a test run share this folder (scripts/run-tests.mjs); `bun test` alone makes one. */
const runDir = process.env['NINES_TEST_RUN_DIR'] ?? ownRunDir()
let template: Promise<string> | undefined

/** A data folder with empty databases, as a first start leaves it; copied, since making one costs five times as much. */
export async function copyOfTemplate(): Promise<string> {
  template ??= makeTemplate()
  const dataDir = newDataDir()
  cpSync(await template, dataDir, { recursive: true })
  return dataDir
}

/** An empty folder. */
export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'nines-test-'))
}

async function makeTemplate(): Promise<string> {
  const made = mkdtempSync(join(runDir, 'making-'))
  const log = createLog({
    level: 'error',
    format: 'text',
    now: Date.now,
    write: (line) => void process.stderr.write(line),
  })
  await openApp(readConfig({ DATA_DIR: made, SOURCE_URL: '' }), { log }).close()
  rmSync(join(made, 'nines.lock'))
  const path = join(runDir, 'template')
  try {
    renameSync(made, path)
  } catch {
    rmSync(made, { recursive: true }) // another process was faster
  }
  return path
}

function ownRunDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'nines-run-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  return dir
}
