import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root folder of the project. */
export const root = fileURLToPath(new URL('..', import.meta.url))

const modules = join(root, 'node_modules')
const lock = join(root, 'package-lock.json')
const bun = join(modules, 'bun', 'bin', 'bun.exe') // its name on every platform
const markers = [join(modules, '.package-lock.json'), join(modules, '.bun-installed')] // written by npm; written here for bun

/**
 * Installs the dependencies if they are missing or older than the lock file, and returns the path of the project's own bun.
 * Runs in Node and in Bun. Prints nothing if there is nothing to do; ends the process if the installation fails.
 */
export function installMissing() {
  if (!isInstalled()) {
    console.error('Installing dependencies…')
    if (process.versions.bun) {
      run(process.execPath, ['install', '--frozen-lockfile', '--no-summary'])
      writeFileSync(join(modules, '.bun-installed'), '')
    } else {
      run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
    }
  }
  if (!isRealBun()) run(process.execPath, [join(modules, 'bun', 'install.js')]) // if install scripts are disabled
  return bun
}

/** True if dependencies are installed and not older than the lock file. */
export function isInstalled() {
  return Math.max(...markers.map(changedMs)) >= changedMs(lock)
}

/** True if the program is installed. Without its install script, the package has a short shell script instead. */
function isRealBun() {
  return (statSync(bun, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000
}

/** @param {string} path */
function changedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (!error && status === 0) return
  console.error(`"${[command, ...args].join(' ')}" failed: ${error?.message ?? `exit code ${status}`}`)
  process.exit(1)
}
