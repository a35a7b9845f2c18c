import { Elysia, type TSchema } from 'elysia'
import { operation } from '../../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { type BulkDeps, changeMany } from './bulk.ts'
import { BulkAnswer, BulkRequest, maxSlos } from './model.ts'

type Deps = BulkDeps & {
  guard: GuardDeps
  /** Fields of a rule. */
  ruleSchema: TSchema
  /** Called after an SLO was changed or created. */
  onChange: (id: number) => void
}

/** Route of `/slos/bulk`: one change of many SLOs. */
export const bulkRoutes = ({ guard, ruleSchema, onChange, ...deps }: Deps) =>
  new Elysia({ prefix: '/slos', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'member' })).post(
    '/bulk',
    async ({ caller, body }) => {
      const results = await changeMany(deps, caller, body)
      const count = (one: string) => results.filter(({ result }) => result === one).length
      if (body.action !== 'add_rules') {
        for (const { id, result } of results) if (result === 'changed' || result === 'created') onChange(id)
      }
      return {
        results,
        changed: count('changed') + count('created'),
        unchanged: count('unchanged'),
        failed: count('failed'),
      }
    },
    operation('changeSlos', 'Change many SLOs at once, or create one for each value of a label', {
      body: BulkRequest(ruleSchema),
      200: BulkAnswer,
      404: 'There is no such channel for the rule',
      409: 'There would be more SLOs than there may be',
      description:
        `For members. Pauses, resumes, deletes or restores SLOs, sets their target, or stores a notification rule for each: the ${maxSlos} ` +
        'at most of `ids`, or the active ones of `filter`. Each SLO is changed completely or not at all, with a result and an ' +
        'entry in the audit log of its own; one that fails does not hold up the others. `rule` is as in ' +
        '`PUT /notifications/rules`, without SLOs; no message is sent. `create_for_each` creates `slo` for each of `values` of a ' +
        '`label`, all or none: its queries select only series with the value, which is also in its name and labels.',
    }),
  )
