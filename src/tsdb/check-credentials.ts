import type { Database } from '../db/open.ts'
import type { Seal } from '../db/seal.ts'
import { findSealedAuth } from './source-store.ts'

/** Throws where `seal.secret` is not the one the stored credentials were sealed with, instead of failing at each query. */
export async function assertCredentialsOpen({ db, seal }: { db: Database; seal: Seal }): Promise<void> {
  const sealed = await findSealedAuth(db.read)
  try {
    if (sealed) seal.open(sealed)
  } catch (cause) {
    throw new Error('seal.secret in the data folder does not open the stored credentials; restore it from a backup', {
      cause,
    })
  }
}
