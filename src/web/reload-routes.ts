import { Elysia } from 'elysia'
import type { PageFiles } from './pack-page.ts'

type Deps = { load: () => Promise<PageFiles>; everyMs?: number }

const hidden = { detail: { hide: true } }

/**
 * Reloads open tabs when the source of the page changes. Only for development (`npm run dev`): neither an executable nor `npm
 * start` has it.
 */
export const reloadRoutes = ({ load, everyMs = 300 }: Deps) => {
  const answer = (type: string, body: () => string | ReadableStream) => () =>
    new Response(body(), { headers: { 'content-type': type } })
  return new Elysia()
    .get(
      '/dev/reload',
      answer('text/event-stream', () => changes(load, everyMs)),
      hidden,
    )
    .get(
      '/dev/reload.js',
      answer('text/javascript; charset=utf-8', () => script),
      hidden,
    )
}

/** Event stream of the file names in the document: at once, and whenever they change. Bundling errors are written to stderr. */
function changes(load: Deps['load'], everyMs: number): ReadableStream {
  const encoder = new TextEncoder()
  let last: string | undefined
  return new ReadableStream({
    async pull(controller) {
      if (last !== undefined) await Bun.sleep(everyMs)
      const event = await load().then(
        ({ entry }) => `data: ${JSON.stringify(entry)}\n\n`,
        (error: unknown) => `: ${Bun.inspect(error).replaceAll('\n', ' ')}\n\n`,
      )
      if (event !== last && event.startsWith(':')) process.stderr.write(event)
      controller.enqueue(encoder.encode(event === last ? ':\n\n' : event)) // a comment detects if the client is still connected
      last = event
    },
  })
}

const script = `const { src } = document.currentScript
new EventSource(src.replace(/\\.js$/, '')).addEventListener('message', ({ data }) => {
  const { style, ...others } = JSON.parse(data)
  const isLinked = (name) => document.head.innerHTML.includes(name)
  const link = document.querySelector('link[rel="stylesheet"]')
  if (!Object.values(others).every(isLinked)) location.reload()
  else if (!isLinked(style)) link.href = link.href.replace(/[^/]+$/, style)
})
`
