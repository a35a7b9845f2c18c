import { useLocation } from 'preact-iso/router'
import { link } from '../../address/base.ts'
import { send } from '../../api/client.ts'
import { sentenceOf } from '../../api/problems.ts'
import { invalidate } from '../../api/resource.ts'
import type { Slo, Suggestion } from '../../api/types.ts'
import { attempt, useAction } from '../../ui/action.ts'

/** Action that creates the SLO of a suggestion and opens it. Its undo opens `back`. */
export function useCreateSuggested(back: string) {
  const { route } = useLocation()
  const change = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await send<T>(method, path, body && { body })
    for (const changed of ['/slos', '/tsdb/sources']) invalidate(changed)
    return answer
  }
  const undo = ({ id }: Slo) =>
    attempt(() => change('DELETE', `/slos/${id}`).then(() => route(link(back))), { failed: sentenceOf })
  return useAction(({ slo }: Suggestion) => change<Slo>('POST', '/slos', slo), {
    done: ({ name }) => `${name} is created.`,
    undo,
    failed: sentenceOf,
    next: ({ id }) => route(link(`/slos/${id}`)),
  })
}
