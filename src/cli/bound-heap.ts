export const heapVariable = 'BUN_JSC_forceRAMSize'
export const heapBytes = 128 * 1024 * 1024

/**
 * Replaces this process with one that collects garbage before the heap has doubled. JavaScriptCore lets a heap grow by a factor
 * that depends on the RAM of the machine: 2 up to a quarter of it, 1.24 above half. It reads the size only when it starts, from
 * an environment variable; `docs/performance.md` has what it changes. Returns if the variable is set, or where a process cannot be
 * replaced.
 */
export function boundHeap(): void {
  const { env, argv, execPath, execArgv, platform } = process
  if (env[heapVariable] !== undefined || platform === 'win32') return
  const args = import.meta.path.startsWith('/$bunfs/') ? argv.slice(2) : [...execArgv, ...argv.slice(1)]
  try {
    process.execve?.(execPath, [execPath, ...args], { ...env, [heapVariable]: String(heapBytes) })
  } catch {
    // the executable was replaced or removed since the start: this process goes on
  }
}
