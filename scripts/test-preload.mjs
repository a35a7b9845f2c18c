// Lets a plain `bun test` work in a fresh clone: installs missing dependencies before the first test file is read.
import { dirname, join, relative } from 'node:path'
import { installMissing, isInstalled, root } from './install.mjs'

if (!isInstalled()) {
  if (process.env.BUN_TEST_WORKER_ID)
    throw new Error('dependencies are missing: run `bun install` before `bun test --parallel`')
  installMissing()
  forgetListings(dirname(Bun.main))
  try {
    Bun.resolveSync('elysia', dirname(Bun.main))
  } catch {
    console.error('Dependencies are installed now; please start the tests once more.')
    process.exit(1)
  }
}

/**
 * Clears Bun's cached knowledge that a folder and its parents have no node_modules: a failed resolution makes Bun look again.
 * Parents first, because the cache of a folder builds on its parent.
 * @param {string} folder
 */
function forgetListings(folder) {
  if (relative(root, folder) !== '') forgetListings(dirname(folder))
  try {
    Bun.resolveSync(join(folder, 'not-there'), folder)
  } catch {}
}
