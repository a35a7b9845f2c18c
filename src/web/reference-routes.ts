import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Elysia } from 'elysia'
import swaggerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import swagger from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { loadOnce } from '../concurrency/load-once.ts'
import { entityTag, namesTag } from '../http/headers/etag.ts'
import { textResponse } from '../http/openapi/by-hand.ts'
import { detailOf } from '../http/openapi/operation.ts'
import { iconUrl } from './icon.ts'
import pageStyle from './reference.css' with { type: 'text' }

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const unchanged = { description: 'Not modified: the `ETag` in `If-None-Match` still matches' }
const compress = promisify(gzip)
const hidden = { detail: { hide: true } }

/** `/openapi.json` and the page that shows it. All files come from this server, so that readers need no other network. */
export const referenceRoutes = ({ document }: { document: () => Promise<string> }) => {
  const encoder = new TextEncoder()
  const text = (type: string, write: () => string | Promise<string>) =>
    asset(type, async () => encoder.encode(await write()))
  const file = (type: string, path: string) => asset(type, () => Bun.file(path).bytes())
  const json = text('application/json; charset=utf-8', document)
  const page = text('text/html; charset=utf-8', () => referencePage)
  const style = text(css, () => pageStyle)
  const start = text(script, () => referenceStart)
  const swaggerCss = file(css, swaggerStyle)
  const swaggerJs = file(script, swagger)
  return new Elysia({ tags: ['Operations'], detail: { security: [] } })
    .get('/openapi.json', ({ request }) => json(request), {
      detail: detailOf('getDocument', 'This document', {
        description:
          'An OpenAPI 3.1 document, made of the routes of this instance when it is first requested, for generated ' +
          'clients. Its `servers` has the path of PUBLIC_URL.',
        200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
        304: unchanged,
      }),
    })
    .get('/docs', ({ request, path }) => (path.endsWith('/') ? redirectTo('../docs') : page(request)), {
      detail: detailOf('getReferencePage', 'This document as a page', {
        description:
          'Lists every operation and sends requests to this instance. All that the page loads comes from here, so ' +
          'that it works without the internet.',
        200: textResponse('HTML', 'text/html'),
        304: unchanged,
      }),
    })
    .get('/swagger', ({ path }) => redirectTo(path.endsWith('/') ? '../docs' : 'docs'), {
      detail: detailOf('getSwagger', 'Redirect to the reference', {
        description: 'Redirects to `/docs`. Other servers have their reference at this path.',
        308: { description: 'To `/docs`' },
      }),
    })

    .get('/docs/page.css', ({ request }) => style(request), hidden)
    .get('/docs/start.js', ({ request }) => start(request), hidden)
    .get('/docs/swagger-ui.css', ({ request }) => swaggerCss(request), hidden)
    .get('/docs/swagger-ui.js', ({ request }) => swaggerJs(request), hidden)
}

/**
 * Serves content that never changes while the process lives. It is read at the first request. Browsers keep it and revalidate
 * it each time, because another release has other content.
 */
function asset(type: string, read: () => Promise<Uint8Array>): (request: Request) => Promise<Response> {
  const load = loadOnce(() => prepare(read))
  return async ({ headers: sent }) => {
    const { whole, packed, tag } = await load()
    const etag = `W/${tag}` // one tag for both encodings
    const headers = { 'content-type': type, 'cache-control': 'no-cache', etag, vary: 'accept-encoding' }
    const known = sent.get('if-none-match')
    if (known !== null && namesTag(known, tag)) return new Response(null, { status: 304, headers })
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/i.test(sent.get('accept-encoding') ?? '')
    return takesGzip
      ? new Response(packed, { headers: { ...headers, 'content-encoding': 'gzip' } })
      : new Response(whole, { headers })
  }
}

async function prepare(read: () => Promise<Uint8Array>) {
  const whole = Buffer.from(await read())
  return { whole, packed: await compress(whole), tag: entityTag(whole) }
}

function redirectTo(location: string): Response {
  return new Response(null, { status: 308, headers: { location } })
}

/**
 * HTML of the reference. Its scripts and styles are separate files, because the content security policy of `http/headers`
 * allows nothing inline.
 */
const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · nines</title>
<link rel="icon" href="${iconUrl}">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript; <a href="openapi.json">openapi.json</a> has the same content.</noscript>
<script src="docs/swagger-ui.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

/**
 * Start script of the reference. Parameters of the address do not change what it loads, and no external validator is called.
 */
const referenceStart = `const dark = matchMedia('(prefers-color-scheme: dark)')
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyTheme)
applyTheme()
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  queryConfigEnabled: false,
  deepLinking: true,
  filter: true,
  defaultModelsExpandDepth: 0,
})
`
