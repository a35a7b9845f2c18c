import { Elysia } from 'elysia'
import { AppError } from '../errors.ts'
import { htmlText } from '../http/page.ts'
import { iconUrl } from './icon.ts'
import { createPageLoader, isDevelopment } from './page-files.ts'
import type { PageFiles } from './pack-page.ts'
import { pathsOf, routes } from './page/address/routes.ts'
import { reloadRoutes } from './reload-routes.ts'

type Deps = {
  publicUrl: () => string
  /** Content of the document's `<meta>` elements, by name. */
  settings: () => Promise<Record<string, string>>
  page?: () => Promise<PageFiles>
}

/** Paths of the page. All serve the same document, and its script shows the view of the path. */
export const pagePaths = Object.values(routes).flatMap(pathsOf)

const documentPath = new RegExp(
  `^(?:${pagePaths.map((path) => path.replace(/:\w+/, '[^/?]+').replace(/\/$/, '')).join('|')})/?(?:\\?|$)`,
)

/** True for a path of the page, with or without a query string. A GET of it has the same small document for every caller. */
export const isDocument = (path: string): boolean => documentPath.test(path)

/** Shared by all servers of a process, so that the tests bundle the page once. */
const loadPage = createPageLoader()

const hidden = { detail: { hide: true } }
const forever = 'public, max-age=31536000, immutable'

/** Files of the page, and the document that loads them. */
export type Page = { load: () => Promise<PageFiles>; document: (status?: number) => Promise<Response> }

export function createPage({ publicUrl, settings, page = loadPage }: Deps): Page {
  return {
    load: page,
    async document(status = 200) {
      const text = documentOf((await page()).entry, new URL(publicUrl()), await settings())
      return new Response(text, {
        status,
        headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
      })
    },
  }
}

/** Routes of the web page: one document for all its paths, and its files, whose names change with their content. */
export const pageRoutes = ({ load, document }: Page) => {
  const routes = new Elysia().get(
    '/assets/:name',
    async ({ params, request: { headers } }) => {
      const file = (await load()).files.get(params.name)
      if (!file) throw new AppError('not_found', 'Not found')
      const encoding = encodingOf(headers.get('accept-encoding') ?? '')
      const packed = encoding && file[encoding]
      return new Response(packed ?? file.raw, {
        headers: {
          'content-type': file.type,
          'cache-control': forever,
          vary: 'accept-encoding',
          ...(packed && { 'content-encoding': encoding }),
        },
      })
    },
    hidden,
  )
  for (const path of pagePaths) routes.get(path, () => document(), hidden)
  return isDevelopment ? routes.use(reloadRoutes({ load })) : routes
}

/**
 * Serves the page with status 404 instead of a JSON error if a browser opens a path without a route; the page then shows that
 * it has no such page. Undefined for other requests, and for paths whose first segment is that of a route beside the page, such
 * as `/api`. `routes` gives all routes of the server, including those of the page.
 */
export function createUnknownPage({ document }: Page, routes: () => { path: string }[]) {
  const ownPaths = new Set<string>(pagePaths)
  const firstSegment = (path: string) => path.split('/')[1] ?? ''
  let takenSegments: Set<string> | undefined
  return async ({ method, headers, url }: Request): Promise<Response | undefined> => {
    if (method !== 'GET' || !/\btext\/html\b/.test(headers.get('accept') ?? '')) return undefined
    takenSegments ??= new Set(routes().flatMap(({ path }) => (ownPaths.has(path) ? [] : [firstSegment(path)])))
    const { pathname = '' } = URL.parse(url, 'http://localhost') ?? {}
    return takenSegments.has(firstSegment(pathname)) ? undefined : document(404)
  }
}

/** Best encoding that an `Accept-Encoding` header admits; null if neither Brotli nor gzip. */
function encodingOf(accepted: string): 'br' | 'gzip' | null {
  const takes = (name: string) =>
    accepted.split(',').some((part) => {
      const [coding, ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      return coding === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    })
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null
}

/**
 * HTML document of the page. If `publicUrl` has a path, the document links to `publicUrl`, for somebody who opens it past the proxy (on
 * the port of nines itself), where its files are not found. The style, once loaded, hides the link.
 */
function documentOf(
  { script, theme, style, laterStyle, icons, font }: PageFiles['entry'],
  publicUrl: URL,
  settings: Record<string, string>,
): string {
  const basePath = htmlText(publicUrl.pathname.replace(/\/$/, ''))
  const home = htmlText(`${publicUrl.href.replace(/\/$/, '')}/`)
  const elsewhere = basePath === '' ? '' : `\n<p class="elsewhere">nines is at <a href="${home}">${home}</a>.</p>`
  const metas = Object.entries(settings).map(
    ([name, content]) => `<meta name="${name}" content="${htmlText(content)}">\n`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="base" content="${basePath}">
<meta name="icons" content="${basePath}/assets/${icons}">
<meta name="later-style" content="${basePath}/assets/${laterStyle}">
${metas.join('')}<meta name="robots" content="noindex">
<title>nines</title>
<link rel="icon" href="${iconUrl}">${isDevelopment ? `\n<script src="${basePath}/dev/reload.js" defer></script>` : ''}
<script src="${basePath}/assets/${theme}"></script>
<link rel="preload" href="${basePath}/assets/${font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${basePath}/assets/${style}">
<script type="module" src="${basePath}/assets/${script}"></script>
</head>
<body>
<div id="page"></div>${elsewhere}
<noscript>nines needs JavaScript. The API works without it: <a href="${basePath}/docs">reference</a>.</noscript>
</body>
</html>
`
}
