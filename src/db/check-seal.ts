import type { Database } from './open.ts'
import type { Seal } from './seal.ts'

/** Throws where `seal.secret` is not the one that credentials were sealed with, instead of failing whenever one is used. */
export async function assertSealFits({ db, seal }: { db: Database; seal: Seal }): Promise<void> {
  const sealed = await db.read
    .selectFrom('data_sources')
    .select('sealed_auth as text')
    .where('sealed_auth', 'is not', null)
    .unionAll(db.read.selectFrom('channels').select('sealed_configuration as text'))
    .limit(1)
    .executeTakeFirst()
  try {
    if (sealed?.text) seal.open(sealed.text)
  } catch (cause) {
    throw new Error('seal.secret in the data folder does not open the stored credentials; restore it from a backup', {
      cause,
    })
  }
}
