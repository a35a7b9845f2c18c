import { expect, test } from 'bun:test'
import { createSeal } from '../../src/db/seal.ts'
import { assertSealFits } from '../../src/db/check-seal.ts'
import { testApp } from '../support/app.ts'

test('a start with another seal.secret than the one the credentials were sealed with is refused', async () => {
  const nines = await testApp()
  await nines.join('ada')
  const { db, seal } = nines.app
  const other = createSeal(Buffer.alloc(32, 7))
  await assertSealFits({ db, seal: other }) // nothing is sealed yet

  const auth = { bearer: { token: 'sesame' } }
  await nines.call('POST', '/api/v1/tsdb/sources', { name: 'a', api_url: 'http://127.0.0.1:1', auth })
  await assertSealFits({ db, seal })
  await expect(assertSealFits({ db, seal: other })).rejects.toThrow('seal.secret in the data folder does not open')
  await nines.close()
})
