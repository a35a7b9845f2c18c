import { isZone } from '../../zone.ts'

/** Names of time zones for a text field whose `list` is this id. */
export function ZoneOptions({ id }: { id: string }) {
  return (
    <datalist id={id}>
      {zoneNames().map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}

/** Zones that browsers list by their former names only, and UTC, which they do not list. */
const unlisted =
  'UTC America/Nuuk Asia/Ho_Chi_Minh Asia/Kathmandu Asia/Kolkata Asia/Yangon Atlantic/Faroe Europe/Kyiv Pacific/Kanton'.split(
    ' ',
  )

/** Names of all time zones that the browser knows, in order. */
function zoneNames(): string[] {
  return [...new Set([...unlisted.filter(isZone), ...Intl.supportedValuesOf('timeZone')])].toSorted()
}
