import { afterEach, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../../support/closing.ts'
import { makeCertificate } from '../../support/make-certificate.ts'
import { certificateSeen } from '../../support/probe-world.ts'
import { tlsServer } from '../../support/tls-server.ts'
import { trust } from '../../support/trust.ts'

afterEach(closeAll)

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const day = 86_400_000
const fromMs = Date.UTC(2026, 0, 1)
const untilMs = Date.UTC(2099, 5, 1, 12)
const authority = makeCertificate({ names: ['R11'], organization: "Let's Encrypt", fromMs, untilMs: untilMs - day })

test('a probe sees the issuer, the names and the fingerprint of a certificate, and when its chain expires', async () => {
  closeLater(trust(authority.cert))
  const names = ['probe.example', 'www.probe.example', '*.shop.example']
  const made = makeCertificate({ names, fromMs: fromMs + day, untilMs, issuer: authority })
  const port = await tlsServer({ answer, key: made.key, cert: `${made.cert}${authority.cert}` })
  expect(await certificateSeen(`https://probe.example:${port}/`)).toEqual({
    fingerprint: made.fingerprint,
    issuer: "R11 (Let's Encrypt)",
    names,
    startsAt: fromMs / 1000,
    expiresAt: untilMs / 1000 - 86_400,
  })
})

test('a certificate that is refused is seen, and one without names has that of its subject', async () => {
  const made = makeCertificate({ names: ['probe.example'], fromMs, untilMs: Date.UTC(2026, 1, 1) })
  const port = await tlsServer({ answer, key: made.key, cert: made.cert })
  expect(await certificateSeen(`https://probe.example:${port}/`)).toMatchObject({
    names: ['probe.example'],
    issuer: 'probe.example',
    expiresAt: Date.UTC(2026, 1, 1) / 1000,
  })
})

test('texts of a certificate are put on one line and cut, and names beyond twenty are left out', async () => {
  const many = Array.from({ length: 40 }, (_, at) => `host${at}.example`)
  const made = makeCertificate({ names: many, organization: `evil\n\u202e${'x'.repeat(500)}`, fromMs, untilMs })
  const port = await tlsServer({ answer, key: made.key, cert: made.cert })
  const seen = await certificateSeen(`https://probe.example:${port}/`, { verifyCertificate: false })
  expect(seen?.names).toEqual(many.slice(0, 20))
  expect(seen?.issuer).toMatch(/^host0\.example \(evilx{196}\)$/)
})
