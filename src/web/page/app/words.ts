import type { routes } from '../address/routes.ts'

type Routes = typeof routes
type Keyed = { [Name in keyof Routes]: Routes[Name] extends { keys: string } ? Name : never }[keyof Routes]

/** Effects of the keys of a section. */
export const goWords: Record<Keyed, string> = {
  overview: 'Go to the overview',
  incidents: 'Go to the incidents',
}
