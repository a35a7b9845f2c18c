import type { World } from './world.ts'

export type Family =
  'clock' | 'page' | 'disk' | 'source' | 'target' | 'receiver' | 'secret' | 'folder' | 'descriptors' | 'signal'

/** A fault and its repair. */
export type Break = {
  family: Family
  name: string
  /** Requirement: a separate file system, or a clock that can be set. */
  needs?: 'disk' | 'time'
  begin(world: World, random: () => number): Promise<void> | void
  mend(world: World): Promise<void> | void
  /** SLOs that cannot be evaluated while it lasts and must be reported as unknown. */
  unknownSlos: 'none' | 'outside' | 'embedded' | 'all'
  /** A report that nines must give. Without it, correct values for all other SLOs are enough. */
  mustShow?: RegExp
  /** Reports that may continue after the repair. */
  mayPersist?: RegExp
}

/** Stops nines in order, changes something, and starts it again. */
export async function overRestart(world: World, change: () => void): Promise<void> {
  await world.stop('SIGTERM')
  change()
  await world.start()
}
