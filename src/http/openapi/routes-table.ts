type Route = { method: string; path: string }

/** A route's template as people write it: `/api/v1/slos` of what a plugin with a prefix registers as `/api/v1/slos/`. */
export function routeName(template: string): string {
  return template.replace(/(.)\/$/, '$1')
}

/** Which methods the registered routes allow for a path; empty for a path no route has. */
export function methodsByPath(routes: Route[]): (path: string) => string[] {
  const ours = routes.filter(({ method }) => method !== 'OPTIONS') // the CORS plugin has one at the root
  const known = ours.map(({ method, path }) => ({ method, pattern: pathPattern(path) }))
  return (path) => {
    const methods = new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].toSorted()
  }
}

/** `/slos/:id` matches one segment for each name; a trailing slash is the router's to ignore, and so it is here. */
function pathPattern(template: string): RegExp {
  const segments = template.split('/').filter(Boolean)
  const source = segments.map((segment) => (segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment))).join('/')
  return new RegExp(`^/${source}/?$`)
}
