/** Section of the changelog. `text` is Markdown; its headings are of level 1. */
export type Release = { version: string; releasedOn: string | null; text: string }

const title = /^## (\d+\.\d+\.\d+\S*)(?: \((.+)\))?$/
const isoDay = /^\d{4}-\d{2}-\d{2}$/

/** Reads the sections of a changelog, newest first, up to a version. `releasedOn` is null for a section without a date. */
export function readReleases(changelog: string, upTo: string): Release[] {
  const releases: (Release & { lines: string[] })[] = []
  for (const line of changelog.split(/\r?\n/)) {
    const [, version, day = ''] = title.exec(line) ?? []
    if (version !== undefined)
      releases.push({ version, releasedOn: isoDay.test(day) ? day : null, text: '', lines: [] })
    else releases.at(-1)?.lines.push(line)
  }
  return releases
    .filter(({ version }) => Bun.semver.order(version, upTo) <= 0)
    .toSorted((one, other) => Bun.semver.order(other.version, one.version))
    .map(({ version, releasedOn, lines }) => ({ version, releasedOn, text: textOf(lines) }))
}

/** Joins wrapped lines, and reduces links into the repository to their labels: neither has a meaning on the page. */
function textOf(lines: string[]): string {
  return lines
    .join('\n')
    .replace(/(?<=\S)\n[ \t]*(?=[^\s#>*`-])/g, ' ')
    .replace(/\[([^\]\n]+)\]\((?!https?:)[^)\n]*\)/g, '$1')
    .replace(/^#{2,} /gm, '# ')
    .trim()
}
