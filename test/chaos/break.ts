import type { World } from './world.ts'

export type Family =
  'clock' | 'page' | 'disk' | 'source' | 'target' | 'receiver' | 'secret' | 'folder' | 'descriptors' | 'signal'

/** One thing that goes wrong, and how it is mended. */
export type Break = {
  family: Family
  name: string
  /** What it takes: a file system of its own, a clock that can be set. */
  needs?: 'disk' | 'time'
  begin(world: World, random: () => number): Promise<void> | void
  mend(world: World): Promise<void> | void
  /** Whose SLOs cannot be known while it lasts: they must say so. */
  blinds: 'none' | 'outside' | 'embedded' | 'all'
  /** What has to be seen: without it is enough that all that can be known is right. */
  mustShow?: RegExp
  /** What nines may go on saying after it is mended. */
  mayGoOn?: RegExp
}

/** Ends nines in order, changes something, and starts it again. */
export async function overRestart(world: World, change: () => void): Promise<void> {
  await world.stop('SIGTERM')
  change()
  await world.start()
}
