import { afterEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { closeAll, closeLater } from '../../support/closing.ts'
import { loopbackCertificate as certificate } from '../../support/loopback-certificate.ts'
import { oidcWorld } from '../../support/oidc-world.ts'
import { newFolder } from '../../support/process.ts'
import { ada } from '../../support/test-provider.ts'

afterEach(closeAll)

test('a provider with a certificate that is not trusted signs nobody in, and the log says why', async () => {
  const nines = await oidcWorld({}, { certificate })
  closeLater(nines.close)
  expect((await nines.open(`${nines.base}/auth/oidc/start`)).status).toBe(503)
  expect(nines.logged.join('')).toContain('TLS failure: the certificate is self-signed')
})

test('a provider with a certificate of EXTRA_CA_FILE signs people in', async () => {
  const usual = getCACertificates('default')
  closeLater(() => setDefaultCACertificates(usual))
  const file = join(newFolder(), 'ca.pem')
  writeFileSync(file, certificate.cert)
  const nines = await oidcWorld({ EXTRA_CA_FILE: file }, { certificate })
  closeLater(nines.close)
  expect((await nines.signIn(ada)).status).toBe(303)
})
