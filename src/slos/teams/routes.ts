import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { TeamRow } from '../../db/tables/tables.ts'
import { PageFields, pageFields, PageQuery, readPage } from '../../http/paging.ts'
import { operation } from '../../http/openapi/operation.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { moreProblems } from '../../http/checks/more-problems.ts'
import { Anything, Id, Message, Name } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { parsePolicy, policyProblems } from '../budget-policy.ts'
import { PolicyLineResponse, SentPolicy } from '../budget-policy-model.ts'
import { getTeam, listTeams } from './store.ts'
import { changeTeam, createTeam, removeTeam } from './teams.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

/** Default page size; the maximum, because the list usually fills a choice of all teams. */
const usualPageSize = 100

const params = t.Object({ id: Id('team') })

const name = Name({ max: 200 })
const budget_policy = t.Optional(Anything(SentPolicy)) // read by readPolicy

const checks = { [moreProblems]: ({ budget_policy }: { budget_policy?: unknown }) => policyProblems(budget_policy) }

const TeamFields = t.Object(
  { name, budget_policy },
  {
    ...checks,
    title: 'TeamFields',
    examples: [{ name: 'Payments', budget_policy: [{ percent_left: 25, text: 'Freeze of risky deploys' }] }],
  },
)

const TeamUpdate = t.Object(
  { name: t.Optional(name), budget_policy },
  {
    ...checks,
    title: 'TeamUpdate',
    examples: [{ budget_policy: [{ percent_left: 25, text: 'Freeze of risky deploys' }] }],
  },
)

const Team = t.Object(
  {
    id: t.Number(),
    name: t.String(),
    budget_policy: t.Array(PolicyLineResponse, {
      description:
        'error budget policy of its SLOs that have none of their own, the highest percent first; empty: none',
    }),
    created_at: t.String(),
  },
  { title: 'Team' },
)

const TeamList = t.Object(
  {
    teams: t.Array(Team),
    ...PageFields,
  },
  { title: 'TeamList' },
)

const TeamListQuery = t.Object(PageQuery)

/** Routes of `/organization/teams`; every role reads, administrators change. */
export const teamRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/organization/teams', tags: ['Organization'] })
    .use(signedIn({ ...guard, writes: 'admin' }))
    .get(
      '/',
      async ({ caller, query }) => {
        const page = readPage(query, usualPageSize)
        const { rows, total } = await listTeams(deps.db.read, caller.organizationId, page)
        const teams = rows.map(presentTeam)
        return { teams, ...pageFields(page, total) }
      },
      {
        ...operation('listTeams', 'List teams', {
          description:
            'In the order of their ids; 100 to a page where `page_size` is absent. Team 1 is the default one.',
          query: TeamListQuery,
          200: TeamList,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .get(
      '/:id',
      async ({ caller, params }) => presentTeam(await getTeam(deps.db.read, caller.organizationId, params.id)),
      {
        ...operation('getTeam', 'One team', {
          description: 'Its id counts within the organization: each has a team 1.',
          params,
          200: Team,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const team = await createTeam(deps, caller, body)
        set.status = 201
        return presentTeam(team)
      },
      operation('createTeam', 'Create a team', {
        description: 'For administrators. Teams group SLOs by `team_id`; they carry no permissions.',
        body: TeamFields,
        201: Team,
        409: 'The name is in use',
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => presentTeam(await changeTeam(deps, caller, params.id, body)),
      operation('updateTeam', 'Change a team; fields that are not sent stay', {
        description:
          'For administrators. The default team can be changed too. A new `budget_policy` holds at once for the SLOs of the team ' +
          'that have none of their own; an empty one removes it.',
        params,
        body: TeamUpdate,
        200: Team,
        409: 'The name is in use',
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, removeTeam, { message: 'Team deleted' }),
      operation('deleteTeam', 'Delete a team', {
        description: 'For administrators. Deleted SLOs count as well; the id of a team is not used again.',
        params,
        200: Message,
        409: 'SLOs belong to the team, or it is the default one',
      }),
    )

function presentTeam(team: TeamRow) {
  const { id, name, created_at } = team
  return { id, name, budget_policy: parsePolicy(team), created_at: isoTime(created_at) }
}
