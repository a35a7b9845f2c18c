import { sql } from 'kysely'

/** Operand of `in`: ids as one parameter, however many they are. */
export function among(ids: readonly (number | null)[]) {
  return sql<number>`(select value from json_each(${JSON.stringify(ids)}))`
}
