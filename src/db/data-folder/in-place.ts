import { statSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Gives the name of a file that is no longer the one at its path that it was at the call: it has been removed, or another one
 * is there, as after its folder was replaced. What is written to it is lost when the process ends.
 */
export function watchPlaces(paths: string[]): () => string | undefined {
  const before = new Map(paths.map((path) => [path, identityOf(path)]))
  return () => {
    for (const [path, identity] of before) if (identityOf(path) !== identity) return basename(path)
    return undefined
  }
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
