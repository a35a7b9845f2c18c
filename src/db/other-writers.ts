import type { Connection } from './sqlite.ts'

/** Gives whether another connection than this one has changed the database since the call before, at first since now. */
export function watchOtherWriters(writer: Connection): () => boolean {
  const read = () => writer.pragma('data_version', { simple: true })
  let before = read()
  return () => {
    const version = read()
    const changed = version !== before
    before = version
    return changed
  }
}
