import { totalmem } from 'node:os'
import { constrainedMemory } from 'node:process'

/** What this process may use: the bound of its cgroup, else what the machine has. */
export function usableMemoryBytes(): number {
  const bound = constrainedMemory()
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem()
}
