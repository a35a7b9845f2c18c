type Route = { method: string; path: string }

/** A route's template as people write it: `/api/v1/slos` of what a plugin with a prefix registers as `/api/v1/slos/`. */
export function routeName(template: string): string {
  return template.replace(/(.)\/$/, '$1')
}

/** The registered routes by path. A path that fits several templates, as `/slos/overview`, is of the one with the most fixed segments. */
export type RouteTable = {
  /** The methods of a path; none for a path that no route has. */
  methodsOf(path: string): string[]
  /** True where a path is of a more fixed template than the one that the router found for its method. */
  isMisrouted(path: string, template: string): boolean
}

type Template = { segments: string[]; pattern: RegExp; methods: string[] }

export function createRouteTable(routes: readonly Route[]): RouteTable {
  const ours = routes.filter(({ method }) => method !== 'OPTIONS') // the CORS plugin has one at the root
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

/** Sorts what is fixed further to the left first, as the router looks. */
const fixedness = ({ segments }: Template) => segments.map((segment) => Number(isNamed(segment))).join('')

/** True where some path fits both, and the first that differ are a fixed segment and a name. */
function isMoreFixed(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  const pairs = one.map((segment, at) => [segment, other[at] ?? ''] as const)
  if (!pairs.every(([a, b]) => a === b || isNamed(a) || isNamed(b))) return false
  const differing = pairs.find(([a, b]) => isNamed(a) !== isNamed(b))
  return differing !== undefined && isNamed(differing[1])
}

/** `/slos/:id` matches one segment for each name; a trailing slash is the router's to ignore, and so it is here. */
function pathPattern(segments: readonly string[]): RegExp {
  const source = segments.map((segment) => (isNamed(segment) ? '[^/]+' : RegExp.escape(segment))).join('/')
  return new RegExp(`^/${source}/?$`)
}
