/**
 * Variables that JavaScriptCore and mimalloc read once, when a process starts. As on a machine with 256 MB of RAM, a heap above 64 MB
 * grows by half between collections and one above 128 MB by a quarter, while otherwise it doubles up to a quarter of the RAM; freed
 * pages are given back at once, not after a second. `docs/performance.md` has what both change.
 */
export const memoryVariables = { BUN_JSC_forceRAMSize: String(256 * 1024 * 1024), MIMALLOC_PURGE_DELAY: '0' }

/**
 * Replaces this process by one with these variables, under the same process id. Returns if one of them is set, or where a process cannot
 * be replaced.
 */
export function boundMemory(): void {
  const { env, argv, execPath, execArgv, platform } = process
  if (platform === 'win32' || Object.keys(memoryVariables).some((name) => env[name] !== undefined)) return
  const args = import.meta.path.startsWith('/$bunfs/') ? argv.slice(2) : [...execArgv, ...argv.slice(1)]
  try {
    process.execve?.(execPath, [execPath, ...args], { ...env, ...memoryVariables })
  } catch {
    // the executable was replaced or removed since the start: this process goes on
  }
}
