import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { IncidentAccountRow } from '../../db/tables/tables.ts'
import { Text, WholeNumber } from '../../http/schemas.ts'
import { Link } from '../../slos/model.ts'

export const IncidentAccountUpdate = t.Object(
  {
    text: Text({ max: 20_000, lines: 'many' }),
    url: t.Optional(Link),
    version: t.Optional({
      ...WholeNumber({ min: 0, max: 1_000_000_000 }),
      description: 'a whole number, how many changes there were when it was read; 0: there was no account',
    }),
  },
  {
    title: 'IncidentAccountUpdate',
    examples: [
      {
        text: 'v1.4.2 sent all orders to one shard.\n\n- Rolled back at 10:50',
        url: 'https://wiki.example.com/incidents/81',
        version: 2,
      },
    ],
  },
)
export type IncidentAccountUpdate = Static<typeof IncidentAccountUpdate>

/** Text that people write about an incident, such as a postmortem. */
export const IncidentAccount = t.Object({
  text: t.String({ description: 'Markdown; HTML in it is text' }),
  url: t.String({ description: 'empty: none' }),
  version: t.Number({ description: 'the number of its changes so far' }),
  by: t.String({ description: 'who changed it last' }),
  updated_at: t.String(),
})

const success = t.Literal(true)
export const IncidentAccountAnswer = t.Object({ success, data: IncidentAccount }, { title: 'IncidentAccountAnswer' })
export const DeletedIncidentAccount = t.Object({ success, message: t.String() })

export function presentAccount(row: IncidentAccountRow): Static<typeof IncidentAccount>
export function presentAccount(row: IncidentAccountRow | undefined): Static<typeof IncidentAccount> | null
export function presentAccount(row: IncidentAccountRow | undefined) {
  if (!row) return null
  const { text, url, version, user_name: by, updated_at } = row
  return { text, url, version, by, updated_at: isoTime(updated_at) }
}
