import type { Options, TestApp } from './app.ts'
import { type Populated, populated } from './populated.ts'
import { preparedApp } from './prepared-app.ts'

/** A nines with a populated organization for each name; `teams` are the ids of their second teams. */
export async function populatedApp<Name extends string>(
  teams: Record<Name, number>,
  options: Pick<Options, 'env'> = {},
): Promise<{ nines: TestApp } & Record<Name, Populated>> {
  const { nines, result } = await preparedApp(`populated ${JSON.stringify(teams)}`, options, async (app) => {
    const own: Record<string, Populated> = {}
    for (const [name, team] of Object.entries<number>(teams)) own[name] = await populated(app, name, team)
    return own as Record<Name, Populated>
  })
  return { nines, ...result }
}
