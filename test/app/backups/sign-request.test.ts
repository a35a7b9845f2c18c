import { expect, test } from 'bun:test'
import { emptyBodyHash, encodeKey, signRequest } from '../../../src/app/backups/sign-request.ts'

const keys = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const nowMs = Date.parse('2013-05-24T00:00:00Z')

/** Requests and signatures of Amazon's document "Signature Calculations for the Authorization Header". */
test.each([
  [
    'an object',
    { method: 'GET', path: '/test.txt', headers: { range: 'bytes=0-9' }, bodyHash: emptyBodyHash },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a new object',
    {
      method: 'PUT',
      path: `/${encodeKey('test$file.text')}`,
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      bodyHash: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'the lifecycle',
    { method: 'GET', path: '/?lifecycle', headers: {}, bodyHash: emptyBodyHash },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list',
    { method: 'GET', path: '/?prefix=J&max-keys=2', headers: {}, bodyHash: emptyBodyHash },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('a request for %s is signed as in the example of Amazon', (_, { path, ...request }, signature) => {
  const url = new URL(path, 'https://examplebucket.s3.amazonaws.com')
  const signed = signRequest({ ...request, url }, keys, nowMs)
  expect(signed['authorization']).toEndWith(`Signature=${signature}`)
})

test('a name with spaces, umlauts and brackets is signed as curl signs it', async () => {
  const seen = Promise.withResolvers<Headers>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      seen.resolve(request.headers)
      return new Response()
    },
  })
  const url = new URL(`/${encodeKey('bucket/Zürich (a b)/n+1.tar')}?list-type=2&prefix=a%20b%2F`, server.url)
  const user = `${keys.accessKeyId}:${keys.secretAccessKey}`
  const args = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '--user', user, '-H', `x-amz-content-sha256: ${emptyBodyHash}`]
  const curl = Bun.spawn(['curl', '-s', ...args, url.href], { stdout: 'ignore', stderr: 'inherit' })
  const headers = await seen.promise
  await curl.exited
  await server.stop(true)
  const [, at = ''] = /^(\d{8}T\d{6}Z)$/.exec(headers.get('x-amz-date') ?? '') ?? []
  const time = at.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5')
  const signed = signRequest({ method: 'GET', url, bodyHash: emptyBodyHash }, keys, Date.parse(time))
  const fieldsOf = (text = '') => text.split(/[, ]+/).toSorted()
  expect(fieldsOf(headers.get('authorization') ?? '')).toEqual(fieldsOf(signed['authorization']))
})
