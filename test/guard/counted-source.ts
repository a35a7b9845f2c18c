import { answerRequest, type FakeReply, type Script } from '../support/fake-source.ts'

/** A source on 127.0.0.1 that counts its requests, including listings. */
export function countedSource(script: Script) {
  let requests = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      requests += 1
      return answerRequest((expression, time) => answerSides(script, expression, time), request)
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, requests: () => requests, close: () => void server.stop(true) }
}

const side = /label_replace\((.+?), "nines_side", "(\w+)", "", ""\)/g

/** Answers a query of both sides of an SLI like a real source. */
function answerSides(script: Script, expression: string, time: number): FakeReply {
  const sides = [...expression.matchAll(side)]
  if (sides.length === 0) return script(expression, time)
  return sides.flatMap(([, inner = '', name = '']) => {
    const [one] = [script(inner, time)].flat()
    const value = typeof one === 'object' && one !== null && 'value' in one ? one.value : one
    return typeof value === 'number' ? [{ labels: { nines_side: name }, value }] : []
  })
}
