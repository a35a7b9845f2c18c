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
  /** Name of the template that a path belongs to; undefined if no route matches. */
  nameOf(path: string): string | undefined
  /** True if a path belongs to a more specific template than the one that the router chose for its method. */
  isMisrouted(path: string, template: string): boolean
}

type Template = { segments: string[]; methods: string[]; pattern: () => RegExp }

/** `routes` is called once, at the first request. */
export function createRouteTable(routes: () => readonly Route[]): RouteTable {
  let templates: Map<string, Template> | undefined // those with fixed segments further left first
  const templatesByName = () => (templates ??= templatesOf(routes()))
  const moreSpecificPatterns = new Map<string, RegExp[]>() // by name of the template
  const findMoreSpecific = (name: string): RegExp[] => {
    const template = templatesByName().get(name)
    if (!template?.segments.some(isNamed)) return [] // no parameter in whose place another template could have a fixed segment
    const specific = [...templatesByName().values()].filter(({ segments }) => isMoreFixed(segments, template.segments))
    return specific.map(({ pattern }) => pattern())
  }
  const find = (path: string) =>
    templatesByName()
      .entries()
      .find(([, { pattern }]) => pattern().test(path))
  return {
    methodsOf: (path) => find(path)?.[1].methods ?? [],
    nameOf: (path) => find(path)?.[0],
    isMisrouted(path, template) {
      const name = routeName(template)
      const patterns = moreSpecificPatterns.get(name) ?? findMoreSpecific(name)
      moreSpecificPatterns.set(name, patterns)
      return patterns.some((pattern) => pattern.test(path))
    },
  }
}

function templatesOf(routes: readonly Route[]): Map<string, Template> {
  const ours = routes.filter(({ method }) => method !== 'OPTIONS') // the CORS plugin registers one at the root
  const groups = Map.groupBy(ours, ({ path }) => routeName(path))
  const named = [...groups].map(([name, group]) => {
    const template = templateOf(name, group)
    return { name, fixedness: fixedness(template.segments), template }
  })
  named.sort((a, b) => (a.fixedness < b.fixedness ? -1 : Number(a.fixedness > b.fixedness)))
  return new Map(named.map(({ name, template }) => [name, template]))
}

function templateOf(name: string, group: Route[]): Template {
  const methods = new Set(group.map(({ method }) => method))
  if (methods.has('GET')) methods.add('HEAD')
  const segments = name.split('/').filter(Boolean)
  let pattern: RegExp | undefined
  return { segments, methods: [...methods].toSorted(), pattern: () => (pattern ??= pathPattern(segments)) }
}

const isNamed = (segment: string) => segment.startsWith(':')
/** Last segment of a template that matches any rest of a path, also an empty one. */
const isRest = (segment: string) => segment === '*'

/** Sort key that puts templates with fixed segments further left first, in the router's order. */
const fixedness = (segments: string[]) =>
  segments.map((segment) => (isRest(segment) ? '2' : isNamed(segment) ? '1' : '0')).join('')

/** True if some path matches both, and where they first differ `one` has a fixed segment and `other` a parameter. */
function isMoreFixed(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  if (!one.every((segment, at) => segment === other[at] || isNamed(segment) || isNamed(other[at] ?? ''))) return false
  const first = one.findIndex((segment, at) => isNamed(segment) !== isNamed(other[at] ?? ''))
  return first !== -1 && isNamed(other[first] ?? '')
}

/** Pattern of a template: each parameter matches one segment, and a trailing slash is ignored, as in the router. */
function pathPattern(segments: readonly string[]): RegExp {
  const sourceOf = (segment: string) => (isRest(segment) ? '.*' : isNamed(segment) ? '[^/]+' : RegExp.escape(segment))
  const source = segments.map(sourceOf).join('/')
  return new RegExp(`^/${source}/?$`)
}
