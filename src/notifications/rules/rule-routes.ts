import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/open.ts'
import { createSharedReads } from '../../concurrency/shared-reads.ts'
import { runCooperatively } from '../../concurrency/cooperative.ts'
import { operation } from '../../http/openapi/operation.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { Id } from '../../http/schemas.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { causeOf } from '../causes.ts'
import { type Coverage, readCoverage } from './coverage.ts'
import {
  CoverageResponse,
  fitsInOnePiece,
  presentCoverage,
  RuleSetting,
  RuleSettings,
  RulesSet,
  writeCoverage,
} from './coverage-model.ts'
import {
  presentListed,
  presentQueued,
  presentRule,
  presentStored,
  RuleAnswer,
  RuleChanged,
  RuleDeleted,
  RuleList,
  RuleListQuery,
  RuleRequest,
  RuleRequestAnswer,
  RuleUpdate,
} from './rule-model.ts'
import { requestRule } from './rule-request.ts'
import { getRule, listRules } from './rule-store.ts'
import { changeRule, removeRule } from './rules.ts'
import { setManyRules, setRules } from './set-rules.ts'

type Deps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'notifyDedupWindowSeconds'>
  publicUrl: () => string
  onQueued: () => void
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

const defaultPageSize = 100
const params = t.Object({ id: Id('notification rule') })

/** `/notifications/rules`: rules that route alerts of SLOs to channels. POST can also notify immediately. */
export const ruleRoutes = ({ guard, ...deps }: Deps) => {
  const share = createSharedReads<Coverage>(deps.db.version)
  return new Elysia({ prefix: '/notifications/rules', tags: ['Notifications'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller, query }) => {
        const { slo_id: sloId, channel_id: channelId } = query
        const page = readPage(query, defaultPageSize)
        const cause = query.alert_type && causeOf[query.alert_type]
        const options = { ...page, sloId, channelId, cause }
        const { rows, total } = await listRules(deps.db.read, caller.organizationId, options)
        const fields = pageFields(page, total)
        return { success: true as const, count: rows.length, ...fields, data: rows.map(presentListed) }
      },
      {
        ...operation('listRules', 'List rules', {
          description:
            'Each with its channel and the health of the channel; 100 to a page where `page_size` is absent. `count` is how ' +
            'many are on the page.',
          query: RuleListQuery,
          200: RuleList,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .get(
      '/coverage',
      async ({ caller: { organizationId } }) => {
        const { read } = deps.db
        const coverage = await share(organizationId, () =>
          runCooperatively(organizationId, readCoverage(read, organizationId)),
        )
        if (fitsInOnePiece(coverage)) return presentCoverage(read, coverage)
        const response = await guard.streamedResponses(organizationId, writeCoverage(read, coverage))
        return response as unknown as typeof CoverageResponse.static // a Response bypasses the schema
      },
      {
        ...operation('getCoverage', 'Which SLOs the rules cover, and which notify nobody', {
          200: CoverageResponse,
          description: 'Rules of one channel that are alike in all but their SLOs are one group.',
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .put(
      '/',
      async ({ caller, body }) => {
        const { stored, deleted } = await setRules(deps, caller, body)
        return { success: true as const, message: 'Notification rules stored', stored, deleted }
      },
      operation('setRules', 'Store the rules of one channel and one kind of alert for many SLOs', {
        body: RuleSetting,
        200: RulesSet,
        404: 'There is no such SLO or channel',
        description:
          'For members. Makes a rule for each of `slo_ids`, or changes the given fields of the one there is, and deletes those of ' +
          '`remove_slo_ids`. All or none are stored; no message is sent.',
      }),
    )
    .put(
      '/settings',
      async ({ caller, body }) => {
        const { stored, deleted } = await setManyRules(deps, caller, body.settings)
        return { success: true as const, message: 'Notification rules stored', stored, deleted }
      },
      operation('setManyRules', 'Store the rules of several channels and kinds of alerts for many SLOs', {
        body: RuleSettings,
        200: RulesSet,
        404: 'There is no such SLO or channel',
        description:
          'For members. Does with each of `settings` what `PUT /notifications/rules` does with one. All or none are ' +
          'stored; no message is sent. Together they have at most 12,000 SLO ids.',
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => {
        const rule = await getRule(deps.db.read, caller.organizationId, params.id)
        return { success: true as const, data: presentRule(rule) }
      },
      {
        ...operation('getRule', 'One rule', {
          description:
            '`subject` and `message` are null where the standard texts are sent, `slo_id` is null for conditions of ' +
            'nines itself.',
          params,
          200: RuleAnswer,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const requested = await requestRule(deps, caller, body)
        set.status = 201
        return 'queued' in requested
          ? { success: true as const, message: 'Notification queued', data: presentQueued(requested.queued) }
          : { success: true as const, message: 'Notification rule stored', data: presentStored(requested.stored) }
      },
      operation('requestNotification', 'Store a rule, or notify at once', {
        description:
          'For members. Stores the rule of the SLO, the channel and the alert type, or changes the one there is, ' +
          'and sends one message that says so, unless `notify` is false. `manual` sends a message and stores ' +
          'nothing; with `rule_id` the open alert of that rule is sent again. The same message again within ' +
          'NOTIFY_DEDUP_WINDOW is 409.',
        body: RuleRequest,
        201: RuleRequestAnswer,
        403: 'appliance_condition is for administrators',
        404: 'There is no such SLO, channel or rule, or the channel is disabled',
        409: 'The same notification was sent a moment ago',
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => {
        const rule = await changeRule(deps, caller, params.id, body)
        return { success: true as const, message: 'Notification rule changed', data: presentRule(rule) }
      },
      operation('updateRule', 'Change a rule; fields that are not sent stay', {
        description:
          'For members. A rule stays with its SLO, its channel and its cause; `alert_type` may only change to the ' +
          'other type of the same cause.',
        params,
        body: RuleUpdate,
        200: RuleChanged,
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, removeRule, { success: true as const, message: 'Notification rule deleted' }),
      operation('deleteRule', 'Delete a rule', {
        description:
          'For members. What it has queued is still sent, and so are the recoveries of alerts of which it has notified.',
        params,
        200: RuleDeleted,
      }),
    )
}
