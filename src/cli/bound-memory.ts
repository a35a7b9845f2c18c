import { usableMemoryBytes } from '../concurrency/memory.ts'

/**
 * Variables that JavaScriptCore and mimalloc read once, when a process starts. As on a machine with 256 MB of RAM, a heap above 64 MB
 * grows by half between collections and one above 128 MB by a quarter, while otherwise it doubles up to a quarter of the RAM; freed
 * pages are given back at once, not after a second. `docs/performance.md` has what both change.
 */
export const memoryVariables = { BUN_JSC_forceRAMSize: String(256 * 1024 * 1024), MIMALLOC_PURGE_DELAY: '0' }

const smallBytes = 2 * 1024 ** 3

/**
 * Where a process may use less than 2 GB, replaces this one by one with these variables, under the same process id. Returns on others, if
 * one of the variables is set, or where a process cannot be replaced.
 */
export function boundMemory(usableBytes = usableMemoryBytes()): void {
  const { env, argv, execPath, execArgv, platform } = process
  const isSet = Object.keys(memoryVariables).some((name) => env[name] !== undefined)
  if (usableBytes >= smallBytes || isSet || platform === 'win32') return
  const args = import.meta.path.startsWith('/$bunfs/') ? argv.slice(2) : [...execArgv, ...argv.slice(1)]
  try {
    process.execve?.(execPath, [execPath, ...args], { ...env, ...memoryVariables })
  } catch {
    // the executable was replaced or removed since the start: this process goes on
  }
}
