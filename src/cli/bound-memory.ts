import { usableMemoryBytes } from '../concurrency/memory.ts'

/**
 * Variables that JavaScriptCore and mimalloc read once, when a process starts. The first makes the heap grow as on a machine with
 * 256 MB of RAM: between collections by half above 64 MB, and by a quarter above 128 MB, instead of doubling up to a quarter of
 * the RAM. The second makes freed pages be returned at once instead of after a second. Effects: `docs/performance.md`.
 */
export const memoryVariables = { BUN_JSC_forceRAMSize: String(256 * 1024 * 1024), MIMALLOC_PURGE_DELAY: '0' }

const smallBytes = 2 * 1024 ** 3

/**
 * If the process may use less than 2 GB, starts the program again in it, with `memoryVariables` set; the process id stays. Returns
 * if it may use more, if one of the variables is set, or if the system cannot replace a process.
 */
export function boundMemory(usableBytes = usableMemoryBytes()): void {
  const { env, argv, execPath, execArgv, platform } = process
  const isSet = Object.keys(memoryVariables).some((name) => env[name] !== undefined)
  if (usableBytes >= smallBytes || isSet || platform === 'win32') return
  // the paths of an executable's modules begin with /$bunfs/, and Bun puts one into its arguments
  const args = import.meta.path.startsWith('/$bunfs/') ? argv.slice(2) : [...execArgv, ...argv.slice(1)]
  try {
    process.execve?.(execPath, [execPath, ...args], { ...env, ...memoryVariables })
  } catch {
    // the executable was replaced or removed since the start: this process goes on
  }
}
