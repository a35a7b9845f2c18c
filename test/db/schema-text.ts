export type Column = { name: string; comment: string }
export type Table = { name: string; header: string; columns: Column[] }

/** Tables of a schema, with the comment above each and their numeric columns. */
export function tablesIn(sql: string): Table[] {
  return [...sql.matchAll(/^((?:--[^\n]*\n)*)CREATE TABLE (\w+) \(\n([^]*?)\n\) STRICT/gm)].map(
    ([, header = '', name = '', body = '']) => ({
      name,
      header: header.replaceAll(/^-- ?/gm, '').replaceAll('\n', ' ').trim(),
      columns: [...body.matchAll(/^ {2}(\w+) (?:INTEGER|REAL)\b([^\n]*)/gm)].map(([, column = '', rest = '']) => ({
        name: column,
        comment: rest.split('--')[1]?.trim() ?? '',
      })),
    }),
  )
}

/** True for a time or a duration, by its name. */
export const isTime = ({ name }: Column) =>
  /(?:^|_)(?:at|ms|seconds|until|since|start|hour|resolution|interval|ttl|retention)$/.test(name)

/** True for a point in time; false for a duration. */
export const isInstant = ({ name }: Column) => /(?:^|_)(?:at|until|since|start)$/.test(name)

/** Units that the header of a table gives to its times: of all that it does not list, and of those that it lists. */
export function unitsOf({ header }: Table): { others: string | undefined; listed: Record<string, string> } {
  const [, others, list = '', unit = ''] =
    /\b(?:Times|Durations) in (ms|s)(?:; ([\w, ]+) in (ms|s))?\.$/.exec(header) ?? []
  return { others, listed: Object.fromEntries(list.split(', ').flatMap((name) => (name === '' ? [] : [[name, unit]]))) }
}

/** Units of a column by its name or its own comment, and by the header of its table, as far as these give one. */
export function statedUnits(table: Table, { name, comment }: Column): { own?: string; header?: string } {
  if (name === 'hour' && table.header.includes('hours since 1970')) return { own: 'hours' }
  const { others, listed } = unitsOf(table)
  const own = /_(ms|seconds)$/.exec(name)?.[1] ?? /\b(?:Unix )?(seconds)\b/.exec(comment)?.[1]
  const header = listed[name] ?? others
  return { ...(own && { own: own.replace('seconds', 's') }), ...(header && { header }) }
}
