import { rmSync } from 'node:fs'
import { testApp } from './app.ts'
import { closeLater } from './closing.ts'

/** A data folder with a registered account, after a clean stop. It is removed after the test. */
export async function closedFolder(): Promise<string> {
  const nines = await testApp({ startMs: Date.now(), env: { SOURCE_URL: 'embedded' } })
  closeLater(() => rmSync(nines.dataDir, { recursive: true, force: true }))
  await nines.join('ada')
  await nines.app.close()
  return nines.dataDir
}
