import { t } from 'elysia'

/** What `readLabels` takes, for the reference. */
export const Labels = t.Record(
  t.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_.-]{0,62}$' }),
  t.String({ minLength: 1, maxLength: 200 }),
  { additionalProperties: false, maxProperties: 20, description: 'at most 20 names and texts' },
)
