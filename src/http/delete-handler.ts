import type { Caller } from './signed-in.ts'

/** Makes the handler of a DELETE: `remove` removes what the path names for the caller, and the response is `answer`. */
export const deleteHandler =
  <Deps, Id, Answer>(deps: Deps, remove: (deps: Deps, caller: Caller, id: Id) => Promise<void>, answer: Answer) =>
  async ({ caller, params }: { caller: Caller; params: { id: Id } }): Promise<Answer> => {
    await remove(deps, caller, params.id)
    return answer
  }
