type Route = { method: string; path: string }

/**
 * Template of a route without its trailing slash: `/api/v1/slos` for `/api/v1/slos/`, which a plugin with a prefix registers.
 */
export function routeName(template: string): string {
  return template.replace(/(.)\/$/, '$1')
}

/**
 * Registered routes by path. A path that matches several templates, such as `/slos/overview`, belongs to the template with the
 * most fixed segments.
 */
export type RouteTable = {
  /** Allowed methods of a path; empty if no route matches. */
  methodsOf(path: string): string[]
  /** True if a path belongs to a more specific template than the one that the router chose for its method. */
  isMisrouted(path: string, template: string): boolean
}

type Template = { segments: string[]; pattern: RegExp; methods: string[] }

export function createRouteTable(routes: readonly Route[]): RouteTable {
  const ours = routes.filter(({ method }) => method !== 'OPTIONS') // the CORS plugin registers one at the root
  const known = new Map(
    [...Map.groupBy(ours, ({ path }) => routeName(path))].map(([name, group]) => [name, templateOf(name, group)]),
  )
  const mostFixedFirst = [...known.values()].toSorted((a, b) => fixedness(a).localeCompare(fixedness(b)))
  const rivals = new Map(
    [...known].map(([name, { segments }]): [string, RegExp[]] => {
      const fits = ({ segments: fixed }: Template) => isMoreFixed(fixed, segments)
      return [name, mostFixedFirst.filter(fits).map(({ pattern }) => pattern)]
    }),
  )
  return {
    methodsOf: (path) => mostFixedFirst.find(({ pattern }) => pattern.test(path))?.methods ?? [],
    isMisrouted: (path, template) => rivals.get(routeName(template))?.some((pattern) => pattern.test(path)) ?? false,
  }
}

function templateOf(name: string, group: Route[]): Template {
  const segments = name.split('/').filter(Boolean)
  const methods = new Set(group.map(({ method }) => method))
  if (methods.has('GET')) methods.add('HEAD')
  return { segments, pattern: pathPattern(segments), methods: [...methods].toSorted() }
}

const isNamed = (segment: string) => segment.startsWith(':')

/** Sort key that puts templates with fixed segments further left first, in the router's order. */
const fixedness = ({ segments }: Template) => segments.map((segment) => Number(isNamed(segment))).join('')

/** True if some path matches both, and where they first differ `one` has a fixed segment and `other` a parameter. */
function isMoreFixed(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  const pairs = one.map((segment, at) => [segment, other[at] ?? ''] as const)
  if (!pairs.every(([a, b]) => a === b || isNamed(a) || isNamed(b))) return false
  const differing = pairs.find(([a, b]) => isNamed(a) !== isNamed(b))
  return differing !== undefined && isNamed(differing[1])
}

/** Pattern of a template: each parameter matches one segment, and a trailing slash is ignored, as in the router. */
function pathPattern(segments: readonly string[]): RegExp {
  const source = segments.map((segment) => (isNamed(segment) ? '[^/]+' : RegExp.escape(segment))).join('/')
  return new RegExp(`^/${source}/?$`)
}
