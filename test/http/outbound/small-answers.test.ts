import { afterEach, describe, expect, test } from 'bun:test'
import { createAnswerReader } from '../../../src/http/outbound/answer-reader.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { outboundFailure } from '../../support/outbound-world.ts'
import { rawHttp, type Wire } from '../../support/raw-http.ts'

afterEach(closeAll)

const ok = 'HTTP/1.1 200 OK\r\n'
const whole = `${ok}Content-Length: 2\r\n\r\nok`

/** A server that gives these answers, one for each request, and an outbound of its own that asks it. */
function answering(...answers: (string | ((wire: Wire) => void))[]) {
  const paths: string[] = []
  const server = rawHttp((asked, wire) => {
    const answer = answers[Math.min(paths.push(asked.path), answers.length) - 1] ?? whole
    if (typeof answer === 'string') wire.write(answer)
    else answer(wire)
  })
  closeLater(server.close)
  const lookedUp: string[] = []
  const lookup = async (host: string) => {
    lookedUp.push(host)
    return ['127.0.0.1']
  }
  const outbound = createOutbound({ deny: [], lookup })
  const ask = async (options: { maxBytes?: number; signal?: AbortSignal } = {}) => {
    const answer = await outbound.fetch(`http://a.example:${server.port}/x?y`, { maxBytes: 100, ...options })
    return { ...answer, body: answer.body.toString() }
  }
  return { ask, paths, server, lookedUp, outbound }
}

describe('a connection', () => {
  test('takes one request after the other, and is looked up once', async () => {
    const { ask, paths, server, lookedUp } = answering()
    for (const _ of [1, 2, 3]) expect(await ask()).toMatchObject({ status: 200, body: 'ok', isCut: false })
    expect([server.connections(), paths, lookedUp]).toEqual([1, ['/x', '/x', '/x'], ['a.example']])
  })

  test('takes one request at a time', async () => {
    const { ask, server } = answering()
    await Promise.all([ask(), ask()])
    await Promise.all([ask(), ask()])
    expect(server.connections()).toBe(2)
  })

  test.each([
    ['says that it closes', `${ok}Connection: close\r\nContent-Length: 2\r\n\r\nok`],
    ['is of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    [
      'gives its length in two ways',
      `${ok}Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    ],
    ['is followed by another that nobody asked for', `${whole}${whole}`],
  ])('is not used again after an answer that %s', async (_, answer) => {
    const { ask, server } = answering(answer)
    expect((await ask()).body).toBe('ok')
    expect((await ask()).body).toBe('ok')
    expect(server.connections()).toBe(2)
  })

  test('is not used again after an answer that is longer than was to be read', async () => {
    const { ask, server } = answering(`${ok}Content-Length: 5\r\n\r\nabcde`)
    expect(await ask({ maxBytes: 3 })).toMatchObject({ body: 'abc', isCut: true })
    expect(await ask({ maxBytes: 5 })).toMatchObject({ body: 'abcde', isCut: false })
    expect(server.connections()).toBe(2)
  })

  test.each([
    ['closes it', (wire: Wire) => wire.reset()],
    ['writes what nobody asked for', (wire: Wire) => wire.write(whole)],
  ])('is not used again once the server %s', async (_, spoil) => {
    let kept: Wire | undefined
    const { ask, server } = answering((wire) => {
      kept ??= wire
      wire.write(whole)
    })
    await ask()
    if (kept) spoil(kept)
    while (server.open() > 0) await Bun.sleep(1)
    expect((await ask()).body).toBe('ok')
    expect(server.connections()).toBe(2)
  })

  test('that was made for a request that may go anywhere is not used for others', async () => {
    const server = rawHttp((_, wire) => wire.write(whole))
    closeLater(server.close)
    const url = `http://127.0.0.1:${server.port}/`
    const outbound = createOutbound({ deny: [], allowPrivate: [] })
    expect((await outbound.fetch(url, { maxBytes: 100, toPrivate: true })).status).toBe(200)
    expect((await outboundFailure(outbound.fetch(url, { maxBytes: 100 }))).failure).toBe('forbidden')
  })

  test('ends with the signal of its request', async () => {
    const impatient = new AbortController()
    const { ask, server } = answering((wire) => {
      wire.write(ok)
      impatient.abort(new Error('too late'))
    })
    await expect(ask({ signal: impatient.signal })).rejects.toThrow('too late')
    while (server.open() > 0) await Bun.sleep(1)
  })

  test('that was kept and is lost before an answer began is followed by a new one, once', async () => {
    const { ask, paths, server } = answering(whole, (wire) => wire.reset())
    await ask()
    expect((await outboundFailure(ask())).failure).toBe('lost')
    expect([server.connections(), paths.length]).toEqual([2, 3])
  })

  test('that breaks before the answer is whole is an error, and the request is not sent again', async () => {
    const { ask, paths } = answering((wire) => {
      wire.write(`${ok}Content-Length: 5\r\n\r\nab`)
      wire.end()
    })
    expect((await outboundFailure(ask())).failure).toBe('lost')
    expect(paths).toHaveLength(1)
  })
})

test('a request whose body takes many packets arrives whole', async () => {
  const body = 'ä'.repeat(1_000_000)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => new Response(`${request.method} ${(await request.text()) === body}`),
  })
  closeLater(() => void server.stop(true))
  const url = `http://127.0.0.1:${server.port}/`
  const answer = await createOutbound({ deny: [] }).fetch(url, { method: 'PUT', body, maxBytes: 100 })
  expect(answer.body.toString()).toBe('PUT true')
})

test.each(['a\r\nX-B: c', 'a\0', 'ā'])('a header with the value %j is refused, and nothing is sent', async (value) => {
  const { outbound, server } = answering()
  const asking = outbound.fetch(`http://a.example:${server.port}/`, { maxBytes: 100, headers: { 'X-A': value } })
  expect((await outboundFailure(asking)).failure).toBe('forbidden')
  expect(server.connections()).toBe(0)
})

describe('an answer', () => {
  const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
  const read = (text: string, size: number) => {
    const reader = createAnswerReader(() => 100)
    for (let at = 0; at < text.length; at += size) {
      const answer = reader.take(Buffer.from(text.slice(at, at + size), 'latin1'))
      if (answer) return answer
    }
    return reader.end()
  }

  test.each([
    ['of a length', whole, 200, 'ok'],
    ['without a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n', 204, ''],
    ['with lines that end with a line feed alone', 'HTTP/1.1 200\nContent-Length: 2\n\nok', 200, 'ok'],
    ['in chunks', `${chunked}5;a=b\r\nhello\r\n1 \r\n!\r\n0\r\nX-B: c\r\n\r\n`, 200, 'hello!'],
    ['that lasts until the connection is closed', `${ok}\r\nok`, 200, 'ok'],
    [
      'after others that announce it',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 \r\nLink: a\r\n\r\n${whole}`,
      200,
      'ok',
    ],
    ['whose length is given twice', `${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`, 200, 'ok'],
  ])('%s is read, however it comes in pieces', (_, text, status, body) => {
    for (const size of [1, 2, 7, text.length]) {
      const answer = read(text, size)
      expect([answer?.status, answer?.body.toString()]).toEqual([status, body])
    }
  })

  test.each([
    ['is none', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['is of another version', 'HTTP/2 200 OK\r\n\r\n'],
    ['has a line without a name', `${ok}: a\r\n\r\n`],
    ['goes on in the next line', `${ok}A: b\r\n c\r\n\r\n`],
    ['has two lengths', `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`],
    ['has a length that is none', `${ok}Content-Length: +2\r\n\r\nok`],
    ['is in chunks of another coding', `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n`],
    ['has a chunk without a size', `${chunked}x\r\n`],
    ['has a chunk that is longer than it says', `${chunked}1\r\nab\r\n`],
    ['has a line of a chunk without end', `${chunked}1;${'a'.repeat(2000)}`],
    ['has trailers without end', `${chunked}0\r\n${'A: b\r\n'.repeat(100_000)}`],
    ['has heads without end', 'HTTP/1.1 103 \r\nLink: a\r\n\r\n'.repeat(30_000)],
    ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ])('that %s is refused', (_, text) => {
    for (const size of [1000, text.length]) expect(() => read(text, size)).toThrow('the answer is not HTTP')
  })

  test('with a head without end is refused', () => {
    expect(() => read(`${ok}A: ${'b'.repeat(20_000)}`, 500)).toThrow('too large headers')
  })
})
