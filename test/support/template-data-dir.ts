import { copyFileSync, cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'

/** Folder shared by all processes of a test run (scripts/run-tests.mjs); plain `bun test` creates its own. */
export const runDir = process.env['NINES_TEST_RUN_DIR'] ?? ownRunDir()
let template: Promise<string> | undefined

/**
 * A data folder with empty databases, as after a first start. Copied from a template, which is five times faster than creating
 * one.
 */
export async function copyOfTemplate(): Promise<string> {
  template ??= makeTemplate()
  return copyOf(await template)
}

/** A copy of a data folder that no process has open. */
export function copyOf(path: string): string {
  const dataDir = newDataDir()
  for (const one of readdirSync(path, { withFileTypes: true })) {
    if (one.isFile()) copyFileSync(join(path, one.name), join(dataDir, one.name))
    else cpSync(join(path, one.name), join(dataDir, one.name), { recursive: true }) // takes several times as long
  }
  return dataDir
}

/** Creates an empty folder. */
export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'nines-test-'))
}

/** Creates a folder that stays until the test run ends. */
export function newTemplateDir(): string {
  return mkdtempSync(join(runDir, 'making-'))
}

async function makeTemplate(): Promise<string> {
  const made = newTemplateDir()
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
