import { afterEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clearProxyEnvironment, createOutbound } from '../../src/http/outbound/outbound.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { echo, outboundFailure, resolveTo } from '../support/outbound-world.ts'

afterEach(closeAll)

describe('over TLS', () => {
  // openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj /CN=prod.example -addext subjectAltName=DNS:prod.example
  const cert = `-----BEGIN CERTIFICATE-----
MIIBnjCCAUSgAwIBAgIUYPCmEiVta9rapUHZX38fbzMplfswCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMcHJvZC5leGFtcGxlMCAXDTI2MTEyMTEwMzE0NFoYDzIxMjYx
MDI4MTAzMTQ0WjAXMRUwEwYDVQQDDAxwcm9kLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAASHUy434BBReC03kkDiMuyD4x5jqFc3lRTHaWsD016ESTrq
6UUdicenCBHO5IU4LF++CeCWhkjXxQhvn6+9YuH2o2wwajAdBgNVHQ4EFgQUwqjI
gqJYWIiYHrSFbOHILxx0oTEwHwYDVR0jBBgwFoAUwqjIgqJYWIiYHrSFbOHILxx0
oTEwDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxwcm9kLmV4YW1wbGUwCgYI
KoZIzj0EAwIDSAAwRQIhAN41YtQkZzdFRJUTLUW9grmH7XqrJJt8oMPB61HYHUZL
AiAVQsv8uuvZW6IjdBNkIjmXeV9I9N83CpmyVVICqaDHtw==
-----END CERTIFICATE-----`
  const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLpaGcRP/Sbd3HhBC
GoT1qdrtmbgiuQt7R3vshDy7kVahRANCAASHUy434BBReC03kkDiMuyD4x5jqFc3
lRTHaWsD016ESTrq6UUdicenCBHO5IU4LF++CeCWhkjXxQhvn6+9YuH2
-----END PRIVATE KEY-----`

  function secure() {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, tls: { cert, key }, fetch: () => new Response('hello') })
    closeLater(() => void server.stop(true))
    return server.port
  }

  test('a certificate that nobody vouches for is not accepted', async () => {
    const asking = createOutbound({ deny: [], ...resolveTo('127.0.0.1') }).fetch(`https://prod.example:${secure()}/`, {
      maxBytes: 100,
    })
    expect(await outboundFailure(asking)).toEqual({
      failure: 'unreachable',
      message: 'TLS failure: the certificate is self-signed',
    })
  })

  test('a server that does not speak it has an error of its own', async () => {
    const { port } = echo()
    const asking = createOutbound({ deny: [] }).fetch(`https://127.0.0.1:${port}/`, { maxBytes: 100 })
    expect((await outboundFailure(asking)).message).toBe(
      'TLS handshake failed; does the server speak https on this port, and does it ask for a client certificate?',
    )
  })

  test.each([
    ['prod.example', 'hello'],
    ['other.example', 'TLS failure: the certificate is for another host'],
  ])('the certificate must be for the host of the URL: %s', async (host, wanted) => {
    const said = await inChild(
      `const outbound = createOutbound({ deny: [], lookup: async () => ['127.0.0.1'] })
       const answer = outbound.fetch('https://${host}:${secure()}/', { maxBytes: 100 }).then(({ body }) => body.toString())
       process.stdout.write(await answer.catch((error) => error.message))`,
      { NODE_EXTRA_CA_CERTS: await written(cert) },
    )
    expect(said).toBe(wanted)
  })
})

test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('once cleared, %s is not followed', async (name) => {
  const { port } = echo()
  const proxy = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('through the proxy') })
  closeLater(() => void proxy.stop(true))
  const said = await inChild(
    `const answer = () => createOutbound({ deny: [] }).fetch('http://127.0.0.1:${port}/x', { maxBytes: 100 }).then(({ body }) => body.toString())
     const before = await answer()
     clearProxyEnvironment(process.env)
     process.stdout.write(before + ', ' + await answer())`,
    { [name]: `http://127.0.0.1:${proxy.port}` },
  )
  expect(said).toBe(`through the proxy, 127.0.0.1:${port} /x`)
})

test('clearing the proxy leaves the rest of the environment alone', () => {
  const environment = { HTTP_PROXY: 'a', https_proxy: 'b', NO_PROXY: 'c', PATH: 'd' }
  clearProxyEnvironment(environment)
  expect(environment).toEqual({ NO_PROXY: 'c', PATH: 'd' } as typeof environment)
})

/** Output of a new process. These settings are read only once, or must not affect other tests. */
async function inChild(code: string, env: Record<string, string>): Promise<string> {
  const from = new URL('../../src/http/outbound/outbound.ts', import.meta.url).pathname
  const script = `import { clearProxyEnvironment, createOutbound } from ${JSON.stringify(from)}\n${code}`
  const child = Bun.spawn({ cmd: [process.execPath, '-e', script], env, stdout: 'pipe', stderr: 'inherit' })
  return new Response(child.stdout).text()
}

async function written(text: string): Promise<string> {
  const path = join(tmpdir(), `nines-test-${crypto.randomUUID()}.pem`)
  await Bun.write(path, text)
  closeLater(() => rmSync(path))
  return path
}
